import type { Json, JsonObject } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';
import type { CallRecord, PutDefinitionOptions, Seals, SealVerdict, SessionRow } from '../session-store.ts';
import { forged } from '../sessions/unauthentic.ts';
import { damagedStore } from './damaged-store.ts';
import type { SqlRow } from './sql-row.ts';
import { sealOf } from './stored-session.ts';

/** A value from its text; one that is not what its digest says is an error. */
export function toBlob(digest: string, text: string): Json {
  const value = parse(text);
  if (value === undefined || digestOf(value) !== digest)
    throw damagedStore(`the value ${digest} is not what was stored`);
  return value;
}

/** What the seal of a call turned out to be. */
export function judgeCall(seals: Seals, sid: string, row: SqlRow): SealVerdict {
  const values = [sid, String(row['writer']), Number(row['seq']), String(row['call'])];
  return seals.judge('call', values, sealOf(row));
}

/**
 * The calls of a session after a number from their rows; one that was changed is an error. Whether some are missing is
 * for `verify` to see.
 *
 * @param session left out, there is none any more
 */
export function toCalls(
  seals: Seals,
  session: Pick<SessionRow, 'sid' | 'unauthentic'> | undefined,
  rows: readonly SqlRow[],
  after: number,
): readonly CallRecord[] {
  return rows.map((row, index) => {
    const n = after + index + 1;
    if (session !== undefined && session.unauthentic === undefined) {
      const verdict = judgeCall(seals, session.sid, row);
      if (verdict !== 'genuine')
        throw seals.isPlain
          ? damagedStore(`call ${n} of session '${session.sid}' is not what was stored`)
          : forged(session.sid, `call ${n} of its trace`);
    }
    return { n, call: toObject(row['call'], `call ${n}`) };
  });
}

/** What a command answered, from the row of a session that authenticates; one that was changed is an error. */
export function toCommand(seals: Seals, sid: string, row: SqlRow): JsonObject {
  const verdict = judgeCommand(seals, sid, row);
  if (verdict === 'genuine') return toObject(row['result'], 'a result');
  throw seals.isPlain
    ? damagedStore('the result of a command is not what was stored')
    : forged(sid, 'the recorded result of a command');
}

/** What the seal of a recorded command turned out to be. */
export function judgeCommand(seals: Seals, sid: string, row: SqlRow): SealVerdict {
  return seals.judge('command', [sid, String(row['key']), String(row['result'])], sealOf(row));
}

/** What the seal of an agent turned out to be. */
export function judgeAgent(seals: Seals, sid: string, row: SqlRow): SealVerdict {
  return seals.judge('agent', [sid, Number(row['number']), String(row['agent'])], sealOf(row));
}

/** The names of agents from their rows, in order; one that was changed or is missing is an error. */
export function toAgents(
  seals: Seals,
  session: Pick<SessionRow, 'sid' | 'unauthentic'> | undefined,
  rows: readonly SqlRow[],
): readonly string[] {
  return rows.map((row, index) => {
    const isChecked = session !== undefined && session.unauthentic === undefined;
    const isGenuine = !isChecked || judgeAgent(seals, session.sid, row) === 'genuine';
    if (!isGenuine || Number(row['number']) !== index + 1)
      throw seals.isPlain
        ? damagedStore('an agent of a session is not what was stored')
        : forged(session?.sid ?? '', `agent ${index + 1}`);
    return String(row['agent']);
  });
}

/** What was sent to an agent, from rows; one without a genuine seal does not count: the bundle is sent again. */
export function toDelivered(seals: Seals, sid: string, rows: readonly SqlRow[]): readonly string[] {
  return rows
    .filter((row) => judgeDelivery(seals, sid, row) === 'genuine')
    .map(({ digest }) => String(digest));
}

/** What the seal of a delivery turned out to be. */
export function judgeDelivery(seals: Seals, sid: string, row: SqlRow): SealVerdict {
  return seals.judge('delivery', [sid, Number(row['agent']), String(row['digest'])], sealOf(row));
}

/** What the seal of a definition turned out to be. */
export function judgeDefinition(seals: Seals, digest: string, row: SqlRow): SealVerdict {
  return seals.judge('definition', [digest, String(row['body'])], sealOf(row));
}

/** Whether a definition has a seal, and a genuine one: then it stays as it is, unless another body is served. */
export function isKeptDefinition(
  seals: Seals,
  row: SqlRow,
  {
    digest,
    body,
    isServed = false,
  }: PutDefinitionOptions & { readonly digest: string; readonly body: JsonObject },
): boolean {
  const isSealed = sealOf(row) !== null && judgeDefinition(seals, digest, row) === 'genuine';
  return isSealed && (!isServed || String(row['body']) === JSON.stringify(body));
}

/** A definition from its row; `undefined` where its seal is not genuine and it is not wanted without one. */
export function toDefinition(
  seals: Seals,
  digest: string,
  row: SqlRow,
  { isUnsealedToo = false }: { readonly isUnsealedToo?: boolean } = {},
): JsonObject {
  const verdict = judgeDefinition(seals, digest, row);
  const isTaken =
    verdict === 'genuine' || (isUnsealedToo && ['absent', 'unchecked', 'unknown-key'].includes(verdict));
  if (!isTaken)
    throw damagedStore(`the definition ${digest} is not what was stored`, {
      reason: seals.isPlain ? 'corrupt' : 'unauthentic',
    });
  return toObject(row['body'], 'a definition');
}

function toObject(text: unknown, what: string): JsonObject {
  const value = parse(String(text));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw damagedStore(`${what} is no JSON object`);
  return value as JsonObject;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // A text that is no JSON is not what was stored, as the caller says.
    return undefined;
  }
}
