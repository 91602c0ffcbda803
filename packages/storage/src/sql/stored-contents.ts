import type { Json } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';
import type { CallRecord } from '../session-store.ts';
import { damagedStore } from './damaged-store.ts';
import { guardedJson } from './guarded-json.ts';
import type { SqlRow } from './sql-row.ts';

/** A value from its text; one that is not what its digest says is an error. */
export function toBlob(digest: string, text: string): Json {
  const value = parse(text);
  if (value === undefined || digestOf(value) !== digest)
    throw damagedStore(`the value ${digest} is not what was stored`);
  return value;
}

/** The calls of a session after a number from their rows; one that is missing or changed is an error. */
export function toCalls(sid: string, rows: readonly SqlRow[], after: number): readonly CallRecord[] {
  return rows.map((row, index) => {
    const n = Number(row['n']);
    if (n !== after + index + 1)
      throw damagedStore(`call ${after + index + 1} of session '${sid}' is missing`);
    return { n, call: guardedJson(row, 'call') };
  });
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // A text that is no JSON is not what was stored, as the caller says.
    return undefined;
  }
}
