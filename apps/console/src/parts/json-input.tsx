import type { Json } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { useId } from 'react';

/** A JSON text being written, and what it says once it is JSON. */
export interface JsonText {
  readonly text: string;
  /** Absent while it is none. */
  readonly value?: Json;
  readonly problem?: string;
}

/** Reads what was written; nothing at all is read as `empty`. */
export function readJson(text: string, empty: Json): JsonText {
  if (text.trim() === '') return { text, value: empty };
  try {
    return { text, value: JSON.parse(text) as Json };
  } catch (error) {
    return { text, problem: error instanceof Error ? error.message : String(error) };
  }
}

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
