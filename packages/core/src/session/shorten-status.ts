import type { NextCall } from './next-calls.ts';
import type { Omitted, SessionStatus } from './status.ts';

/** Characters of JSON a status may take: of 4,000 on the wire, the rest is for a token and longer names. */
const maxStatusChars = 2800;

/** Entries that stay of each list, tried one after the other. */
const sizes = [64, 32, 16, 8, 4, 2, 1, 0];

/** Characters a variable may take for each entry a list may have. */
const charsPerEntry = 40;

/**
 * A status of at most 2,800 characters of JSON, whatever a session has gone through: the newest entries of long lists
 * stay, the first calls and the short variables; what is left out is counted.
 */
export function shortenStatus(status: SessionStatus): SessionStatus {
  if (lengthOf(status) <= maxStatusChars) return status;
  const cuts = sizes.map((size) => cut(status, size));
  return cuts.find((short) => lengthOf(short) <= maxStatusChars) ?? cut(status, 0);
}

function cut(status: SessionStatus, size: number): SessionStatus {
  const { completed, skipped, children, next } = status;
  const variables = Object.entries(status.variables)
    .filter(([name, value]) => name.length + lengthOf(value) <= size * charsPerEntry)
    .slice(0, size);
  const calls = next.slice(0, Math.max(size, 1)).map((call) => cutCall(call, size));
  const short = {
    completed: completed.slice(completed.length - Math.min(size, completed.length)),
    skipped: skipped.slice(0, size),
    children: children.slice(children.length - Math.min(size, children.length)),
    variables: Object.fromEntries(variables),
    ...settersOf(status, variables),
    next: calls,
  };
  return { ...status, ...short, omitted: omittedFrom(status, short) };
}

function settersOf(
  { variablesSetBy = {} }: SessionStatus,
  variables: readonly (readonly [name: string, value: unknown])[],
): Pick<SessionStatus, 'variablesSetBy'> {
  const kept = variables.flatMap(([name]) => {
    const by = variablesSetBy[name];
    return by === undefined ? [] : [[name, by] as const];
  });
  return { variablesSetBy: Object.fromEntries(kept) };
}

function cutCall(call: NextCall, size: number): NextCall {
  if (call.kind === 'answer') return { ...call, options: call.options.slice(0, size) };
  if (call.kind !== 'move' || call.steps.length <= size) return call;
  return { ...call, steps: call.steps.slice(0, size), moreSteps: call.steps.length - size };
}

type Lists = Pick<SessionStatus, 'completed' | 'skipped' | 'children' | 'variables' | 'next'>;

function omittedFrom(whole: Lists, short: Lists): Omitted {
  const counts = (['completed', 'skipped', 'children', 'variables', 'next'] as const).map(
    (field) => [field, Object.keys(whole[field]).length - Object.keys(short[field]).length] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value).length;
}
