import { setTimeout } from 'node:timers/promises';
import type { HttpAgent, HttpAnswer } from './http-agent.ts';

/** What clients counted while they called replicas. */
export interface Tally {
  /** Number of calls that got an answer other than a failure. */
  done: number;
  /** Number of failures before these answers, by name. */
  readonly refusals: Map<string, number>;
  /** Time of the slowest answer. */
  slowestMs: number;
  isOver: boolean;
}

export function newTally(): Tally {
  return { done: 0, refusals: new Map(), slowestMs: 0, isOver: false };
}

/** A call, and the replicas to send it to. */
export interface InsistentCall {
  readonly agent: HttpAgent;
  /** Returns the address for the next attempt. */
  readonly target: () => string;
  readonly name: string;
  readonly args: object;
}

/**
 * Repeats a call until the answer is not a failure. Each failure must say that the same call can succeed later.
 * @throws if a failure does not say so.
 */
export async function insist(
  tally: Tally,
  { agent, target, name, args }: InsistentCall,
): Promise<HttpAnswer> {
  for (;;) {
    const startMs = performance.now();
    const answer = await agent.call(target(), name, args);
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startMs);
    if (!isFailure(answer)) {
      tally.done += 1;
      return answer;
    }
    if (!answer.isRetryable)
      throw new Error(`${name} was refused for good: HTTP ${answer.status} ${answer.raw}`);
    tally.refusals.set(answer.error, (tally.refusals.get(answer.error) ?? 0) + 1);
    await setTimeout(5 + Math.random() * 20);
  }
}

function isFailure({ status, error }: HttpAnswer): boolean {
  return status !== 200 || error === 'STORE_UNAVAILABLE' || error === 'INTERNAL' || error === 'nameless';
}

/** Formats counts by name as a text. */
export function countsOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
}
