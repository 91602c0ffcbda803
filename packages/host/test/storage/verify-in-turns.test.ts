import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSessions } from '@workflowlookup/core/sessions';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { keys, operatorOver, partsOver } from '../support/filled-store.ts';

/** Counts the turns of the event loop until a promise settles. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(count);
  function count(): void {
    turns += 1;
    next = setImmediate(count);
  }
  await work.finally(() => clearImmediate(next));
  return turns;
}

async function opened() {
  const folder = await mkdtemp(join(tmpdir(), 'verify-in-turns-'));
  const store = createSqliteSessionStore({ file: join(folder, 'sessions.db'), keys: () => keys, delayMs: 1 });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const parts = partsOver(store);
  const sessions = createSessions(parts);
  const started = await sessions.start({ agentId: 'baker', workflowId: 'errands' });
  return { ...started, store, sessions, operator: operatorOver(parts, store) };
}

// An agent can make any number of calls and events. Without turns in between, all other users of the server would wait.

test('A session with very many calls is verified in short parts', async () => {
  const { store, operator, value } = await opened();
  for (let part = 0; part < 8; part += 1)
    await Promise.all(
      Array.from({ length: 1_000 }, (_, n) => store.recordCall(value.sid, { name: 'status', part, n })),
    );
  expect((await operator.verify(value.sid)).problems).toEqual([]);
  expect(await turnsDuring(operator.verify(value.sid))).toBeGreaterThan(10);
});

test('A session with very many events is shown and verified in short parts', async () => {
  const { sessions, operator, token, value } = await opened();
  let last = (await sessions.move(token, {})).token;
  const first = last;
  for (let round = 0; round < 250; round += 1) {
    const asked = await sessions.yield(last, 'bake-now');
    last = (await sessions.answer(asked.token, { mode: { kind: 'option', option: 'no' } })).token;
  }
  expect(await turnsDuring(sessions.yield(first, 'bake-now'))).toBeGreaterThan(3);
  expect(await turnsDuring(operator.history(value.sid))).toBeGreaterThan(3);
  expect(await turnsDuring(operator.contents(value.sid))).toBeGreaterThan(3);
  expect(await turnsDuring(operator.verify(value.sid))).toBeGreaterThan(3);
}, 60_000);
