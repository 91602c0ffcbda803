import type { JsonObject } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';
import { readJson } from './read-json.ts';

/** What somebody prepared for a step or a checkpoint. */
export interface PreparedReply {
  /** As it was written. */
  readonly text: string;
  readonly output?: string;
  readonly variables?: JsonObject;
  /** The option that answers a checkpoint. */
  readonly option?: string;
  /** The step it is of, where it may be left out. */
  readonly step?: string;
  /** Where to go on. */
  readonly activity?: string;
}

const fields = new Set(['output', 'variables', 'option', 'step', 'activity']);

/**
 * A line: a JSON object with the fields of a reply, a JSON string, or else the text itself. An output that is no string
 * is handed in as JSON.
 */
function readReply(line: string): PreparedReply {
  const value = readJson(line);
  if (typeof value === 'string') return { text: value };
  if (!isJsonObject(value) || !Object.keys(value).every((key) => fields.has(key))) return { text: line };
  const { output, variables, option, step, activity } = value;
  return {
    text: line,
    ...(output === undefined ? {} : { output: typeof output === 'string' ? output : JSON.stringify(output) }),
    ...(isJsonObject(variables) ? { variables } : {}),
    ...(typeof option === 'string' ? { option } : {}),
    ...(typeof step === 'string' ? { step } : {}),
    ...(typeof activity === 'string' ? { activity } : {}),
  };
}

/** The replies that lines say; empty lines say none. */
export async function* repliesIn(lines: AsyncIterable<string>): AsyncGenerator<PreparedReply, void> {
  for await (const line of lines) if (line.trim() !== '') yield readReply(line);
}
