import type { ReactNode } from 'react';
import { useId } from 'react';
import type { JsonText } from './read-json.ts';

/** A field for JSON, which says below it what keeps the text from being JSON. */
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
