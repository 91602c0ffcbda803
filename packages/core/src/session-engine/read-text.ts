import type { SessionStore } from '@workflowlookup/storage';

/**
 * Counts the characters of replies that an agent read in a session. They are recorded with its next call, because the
 * length of a reply is known only after its own call is recorded.
 */
export interface ReadText {
  /** What no recorded call has yet. A server adds the length of each reply that it sends. */
  chars: number;
}

/** How many agents in sessions of a store are counted. */
const maxCounted = 20_000;

const counted = new WeakMap<object, Map<string, ReadText>>();

/** Returns the counter of an agent in a session. */
export function readTextOf(store: Pick<SessionStore, 'calls'>, sid: string, agentId: string): ReadText {
  const counters = counted.get(store) ?? new Map<string, ReadText>();
  counted.set(store, counters);
  const key = `${sid} ${agentId}`;
  const known = counters.get(key);
  if (known !== undefined) return known;
  const [oldest] = counters.keys();
  if (counters.size >= maxCounted && oldest !== undefined) counters.delete(oldest);
  const fresh = { chars: 0 };
  counters.set(key, fresh);
  return fresh;
}

/** Returns what an agent read in a session since its last recorded call, and counts from zero again. */
export function takeReadText(store: Pick<SessionStore, 'calls'>, sid: string, agentId: string): number {
  const counter = counted.get(store)?.get(`${sid} ${agentId}`);
  if (counter === undefined) return 0;
  const { chars } = counter;
  counter.chars = 0;
  return chars;
}

const countersOf = new WeakMap<object, ReadText>();

/** Keeps the counter for an answer that is no reply: an error, or operations. */
export function keepReadText(answer: unknown, counter: ReadText): void {
  if (typeof answer === 'object' && answer !== null) countersOf.set(answer, counter);
}

/** Returns the counter that was kept for an answer or, if it is an error, for one that caused it. */
export function keptReadText(answer: unknown): ReadText | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  return countersOf.get(answer) ?? (answer instanceof Error ? keptReadText(answer.cause) : undefined);
}

/** A usual estimate for English text and code. The tokens of a model are not known here. */
const charsPerToken = 4;

/** Returns about how many tokens a text has. */
export function tokensIn(chars: number): number {
  return Math.round(chars / charsPerToken);
}
