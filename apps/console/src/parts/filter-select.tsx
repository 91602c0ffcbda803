import type { ReactNode } from 'react';
import { useId } from 'react';

/** A choice of one filter, as the browser's own select. A value that is not among the options is one of them too. */
export function FilterSelect({
  label,
  none,
  options,
  value = '',
  onChange,
}: {
  readonly label: string;
  /** What is chosen where nothing is. */
  readonly none: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly value?: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}): ReactNode {
  const id = useId();
  const isKnown = value === '' || options.some(([one]) => one === value);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="input"
        value={value}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      >
        <option value="">{none}</option>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
        {!isKnown && <option value={value}>{value}</option>}
      </select>
    </div>
  );
}
