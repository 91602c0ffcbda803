import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import { WorkflowError } from '@workflowlookup/schema';
import { expect } from 'vitest';
import type { PostgresServer } from '../../support/postgres-server.ts';

/** Returns the error of a call, after checking that it reveals neither the server nor the user. */
export async function refusal(
  { password, port }: PostgresServer,
  call: Promise<unknown>,
): Promise<Readonly<Record<string, unknown>>> {
  const [outcome] = await Promise.allSettled([call]);
  if (outcome.status === 'fulfilled') throw new Error('The call was not refused');
  const error: unknown = outcome.reason;
  expect(error).toBeInstanceOf(WorkflowError);
  const { code, data } = error as WorkflowError;
  expect(code).toMatch(/^(STORE_(DAMAGED|UNAVAILABLE)|KEYS_UNUSABLE)$/);
  const said = inspect(error, { depth: 10, showHidden: true });
  for (const secret of [password, String(port), '127.0.0.1', 'nobody-knows'])
    expect(said).not.toContain(secret);
  return data;
}

/** Waits at most this long for a call, because no call may hang. */
export async function within<T>(limitMs: number, call: () => Promise<T>): Promise<T> {
  const late = Symbol('late');
  const timer = new AbortController();
  const result = await Promise.race([
    call().finally(() => timer.abort()),
    setTimeout(limitMs, late, { signal: timer.signal }).catch(() => late),
  ]);
  if (result === late) throw new Error(`nothing came within ${limitMs} ms`);
  return result as T;
}
