// This program keeps sessions in its own store. It stops in the middle of a session, and continues it after a restart.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorkflows, defineWorkflow } from '@workflowlookup/core';
import type { Workflows } from '@workflowlookup/core';
import type { SessionStore } from '@workflowlookup/storage';
import { createFolderLog } from './entry-log.ts';
import { createLogSessionStore } from './log-session-store.ts';

const tidyUp = defineWorkflow({
  id: 'tidy-up',
  name: 'Tidy up',
  steps: [
    { id: 'pick-up', title: 'Pick up', prompt: 'Pick up what lies on the floor.' },
    { id: 'sweep', title: 'Sweep', prompt: 'Sweep the floor.' },
  ],
});
const directory = await mkdtemp(join(tmpdir(), 'sessions-in-a-log-'));

/** Opens the store, like a program that was just started. */
function open(): { readonly store: SessionStore; readonly workflows: Workflows } {
  const store = createLogSessionStore(createFolderLog(join(directory, 'log')));
  return { store, workflows: createWorkflows({ definitions: [tidyUp], store }) };
}

const before = open();
const session = await before.workflows.start(tidyUp, { agent: 'cleaner' });
await session.enter();
await before.workflows.close();
await before.store.close();

const after = open();
const resumed = await after.workflows.resume<typeof tidyUp>(session.id, { agent: 'cleaner' });
await resumed.next({ outputs: { 'pick-up': 'Three socks, one book.' } });
const { completed, current } = await resumed.status();
await after.workflows.close();
await after.store.close();
await rm(directory, { recursive: true });

assert.deepEqual(completed, ['pick-up']);
assert.equal(current, 'sweep');
console.log(`After a restart: ${completed.join(', ')} done, ${current} next.`);
