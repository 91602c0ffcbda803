import { Check, Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useEffectEvent, useId, useState } from 'react';
import { Button } from './button.tsx';
import type { JsonText } from './read-json.ts';

/** Renders a select for one filter. A value that is not in the options is added to them. */
export function FilterSelect({
  label,
  none,
  options,
  value = '',
  onChange,
}: {
  readonly label: string;
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

const pauseMs = 250;

/** Renders a search field. It calls `onChange` when the user stops typing. */
export function SearchInput({
  label,
  placeholder,
  value,
  onChange,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const id = useId();
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  const tell = useEffectEvent(onChange);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => tell(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type="search"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </div>
  );
}

/** Renders a field for JSON, with a message below it while the text is not valid. */
export function JsonInput({
  label,
  json,
  onChange,
  rows = 6,
}: {
  readonly label: string;
  readonly json: JsonText;
  readonly onChange: (text: string) => void;
  readonly rows?: number;
}): ReactNode {
  const id = useId();
  const { text, problem } = json;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="input mono"
        rows={rows}
        spellCheck={false}
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onChange={({ target }) => onChange(target.value)}
      />
      {problem !== undefined && (
        <span id={`${id}-problem`} className="small problem">
          {problem}
        </span>
      )}
    </div>
  );
}

/** Renders a button that copies a text, and says so for a moment. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const Icon = isCopied ? Check : Copy;
  return (
    <Button
      look="quiet"
      size="tiny"
      aria-label={label}
      title={label}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setIsCopied(true))}
    >
      <Icon size={14} aria-hidden />
    </Button>
  );
}
