import type { Json, JsonObject } from '@workflowlookup/schema';
import type { ComponentProps, ReactNode } from 'react';
import { commonMessages } from '../messages/common.ts';
import { TextField } from './controls.tsx';
import { plural } from './format.ts';

const { json: messages } = commonMessages;

/** A JSON text in a field, and its value if the text is valid. */
interface JsonText<Value extends Json = Json> {
  readonly text: string;
  /** Absent if the text is not valid. */
  readonly value?: Value;
  readonly problem?: string;
}

/** Parses a JSON text. A blank text has the value `empty`. */
export function readJson(text: string, empty: Json): JsonText {
  if (text.trim() === '') return { text, value: empty };
  try {
    return { text, value: JSON.parse(text) as Json };
  } catch (error) {
    return {
      text,
      problem: messages.invalid(error instanceof Error ? error.message : String(error)),
    };
  }
}

/** Parses the text of a JSON object. A blank text is an empty object. */
export function readObject(text: string): JsonText<JsonObject> {
  const { value, problem = messages.notAnObject } = readJson(text, {});
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { text, value: value as JsonObject } : { text, problem };
}

/** Renders a field for JSON, with a message below it while the text is not valid. */
export function JsonInput({
  json: { text, problem },
  ...props
}: Pick<ComponentProps<typeof TextField>, 'label' | 'onChange' | 'rows'> & {
  readonly json: JsonText;
}): ReactNode {
  return <TextField rows={6} {...props} isMono value={text} problem={problem} />;
}

/** Deeper or longer parts are closed at first. */
const openDepth = 2;
const openEntries = 20;

/** Renders a JSON value: objects and lists can be opened and closed, a list of flat objects is a table. */
export function JsonTree({ value, depth = 0 }: { readonly value: Json; readonly depth?: number }): ReactNode {
  if (typeof value === 'string')
    return (
      <span className="said">
        <LinkedText text={value} />
      </span>
    );
  if (typeof value !== 'object' || value === null) return <code>{JSON.stringify(value)}</code>;
  const table = tableOf(value);
  if (table !== undefined) return <ValueTable {...table} />;
  const entries = Object.entries(value) as readonly (readonly [string, Json])[];
  if (entries.length === 0) return <code>{Array.isArray(value) ? '[]' : '{}'}</code>;
  return (
    <dl className="json">
      {entries.map(([name, one]) => (
        <div key={name}>
          <Entry name={name} value={one} depth={depth} isItem={Array.isArray(value)} />
        </div>
      ))}
    </dl>
  );
}

function Entry({
  name,
  value,
  depth,
  isItem,
}: {
  readonly name: string;
  readonly value: Json;
  readonly depth: number;
  readonly isItem: boolean;
}): ReactNode {
  const label = isItem ? String(Number(name) + 1) : name;
  const count = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  if (count === 0)
    return (
      <>
        <dt>{label}</dt>
        <dd>
          <JsonTree value={value} />
        </dd>
      </>
    );
  return (
    <>
      <dt className="hidden-visually">{label}</dt>
      <dd className="json-nested">
        <details open={depth < openDepth && count <= openEntries}>
          <summary>
            {isItem ? messages.item(label) : label}{' '}
            {Array.isArray(value) && (
              <span className="muted">{plural(count, messages.entry, messages.entries)}</span>
            )}
          </summary>
          <JsonTree value={value} depth={depth + 1} />
        </details>
      </dd>
    </>
  );
}

interface TableOfValues {
  readonly columns: readonly string[];
  readonly rows: readonly JsonObject[];
}

const mostColumns = 6;

/** Returns a list of at least two flat objects with the same few fields as a table. */
function tableOf(value: Json): TableOfValues | undefined {
  if (!Array.isArray(value) || value.length < 2) return undefined;
  const rows = value as readonly JsonObject[];
  const isFlat = (row: Json): boolean =>
    typeof row === 'object' &&
    row !== null &&
    !Array.isArray(row) &&
    Object.values(row).every((one) => typeof one !== 'object' || one === null);
  if (!rows.every(isFlat)) return undefined;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return columns.length > mostColumns ? undefined : { columns, rows };
}

function ValueTable({ columns, rows }: TableOfValues): ReactNode {
  return (
    <div className="json-table" tabIndex={0} role="group" aria-label={messages.table}>
      <table className="table table-plain">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // The index is a stable key, because the rows never change their order.
            <tr key={`${at} ${JSON.stringify(row)}`}>
              {columns.map((name) => (
                <td key={name}>{row[name] === undefined ? '' : <JsonTree value={row[name]} />}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Renders a text whose addresses are links. The whole address stays visible. */
export function LinkedText({ text }: { readonly text: string }): ReactNode {
  return text.split(/(https:\/\/[^\s<>"'`)\]]+[^\s<>"'`)\].,;:!?])/).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <a key={`${at} ${part}`} href={part} target="_blank" rel="noreferrer noopener">
        {part}
      </a>
    ),
  );
}
