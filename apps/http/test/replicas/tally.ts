import { setTimeout } from 'node:timers/promises';
import type { HttpAgent, HttpAnswer } from './http-agent.ts';

/** What clients saw of replicas that something happens to. */
export interface Tally {
  /** Calls that did what they should. */
  done: number;
  /** Refusals on the way there, by name. */
  readonly refusals: Map<string, number>;
  /** Milliseconds of the slowest answer. */
  slowestMs: number;
  isOver: boolean;
}

/** Begins a tally. */
export function newTally(): Tally {
  return { done: 0, refusals: new Map(), slowestMs: 0, isOver: false };
}

/** One call, and the replicas to send it to. */
export interface InsistentCall {
  readonly agent: HttpAgent;
  /** Gives where to send the next try. */
  readonly target: () => string;
  readonly name: string;
  readonly args: object;
}

/**
 * Repeats a call until it is answered otherwise than by a failure of the database. Each failure must be one of the
 * tool (HTTP 200), a 408 or a 503, must say that the same call may succeed in a moment, and must come in time.
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

/** Counts by name, in words. */
export function countsOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
}
