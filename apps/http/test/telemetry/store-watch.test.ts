import type { SessionStorage } from '@workflowlookup/core/sessions';
import type { Log } from '@workflowlookup/mcp';
import { WorkflowError } from '@workflowlookup/schema';
import { expect, test, vi } from 'vitest';
import { createStoreWatch } from '../../src/telemetry/store-watch.ts';

const damaged = new WorkflowError('STORE_DAMAGED', 'A row is damaged.');

function watch(isOk: boolean) {
  const health = { ok: isOk, reason: 'unavailable' };
  const vault = async (): Promise<SessionStorage> =>
    ({
      store: { health: async () => health },
      keys: { signing: { secret: Buffer.alloc(32) } },
    }) as unknown as SessionStorage;
  const log = vi.fn<Log>();
  const events = (): readonly unknown[] => log.mock.calls.map(([, event]) => event);
  return { watch: createStoreWatch({ vault, log }), events };
}

test('Each failure during a check is logged if the check finds no outage', async () => {
  const { watch: store, events } = watch(true);
  const looking = store.look();
  store.suspect(damaged);
  store.suspect(damaged);
  await looking;
  await vi.waitFor(() => expect(events()).toEqual(['failure', 'failure']));
});

test('Failures during an outage are not logged', async () => {
  const { watch: store, events } = watch(false);
  store.suspect(damaged);
  store.suspect(damaged);
  await store.look();
  store.suspect(damaged);
  await store.look();
  expect(events()).toEqual(['database_failing']);
  store.stop();
});

test('A failure after the end is logged without a check', async () => {
  const { watch: store, events } = watch(false);
  store.stop();
  store.suspect(damaged);
  await vi.waitFor(() => expect(events()).toEqual(['failure']));
});
