// Sessions over a store of your own: what a session is stays with the engine, where it is kept is yours to say.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sessions } from '@workflowlookup/core/sessions';
import { readDefinition } from '@workflowlookup/core';
import { createSessions } from '@workflowlookup/core/sessions';
import { createReferenceCodec } from '@workflowlookup/core/tokens';
import { loadKeyRing } from '@workflowlookup/host';
import type { SessionStore } from '@workflowlookup/storage';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { createFolderLog } from './entry-log.ts';
import { createLogSessionStore } from './log-session-store.ts';

const definition = {
  id: 'tidy-up',
  name: 'Tidy up',
  description: 'Leave a room as you would like to find it.',
  version: '1.0.0',
  steps: [
    { id: 'pick-up', title: 'Pick up', prompt: 'Pick up what lies on the floor.' },
    { id: 'sweep', title: 'Sweep', prompt: 'Sweep the floor.' },
  ],
};
const { workflow } = await readDefinition({ format: 'json', text: JSON.stringify(definition) });
assert(workflow);
const workflows = createMemoryStore([workflow]);
const directory = await mkdtemp(join(tmpdir(), 'sessions-in-a-log-'));

/** As a program does that was just started. */
function openSessions(): { readonly store: SessionStore; readonly sessions: Sessions } {
  const store = createLogSessionStore(createFolderLog(join(directory, 'log')));
  const keys = loadKeyRing({ stateDirectory: directory });
  const sessions = createSessions({
    workflows,
    vault: async () => ({ store, keys, tokens: createReferenceCodec(keys) }),
    caller: { principal: 'local' },
    policy: {
      enforcement: 'strict',
      gates: 'declared',
      minResponseMs: 3000,
      trustElicitation: false,
      humanAnswersWith: (sid) => `your own program, session ${sid}`,
    },
  });
  return { store, sessions };
}

const before = openSessions();
const started = await before.sessions.start({ agentId: 'cleaner', workflowId: 'tidy-up' });
const entered = await before.sessions.move(started.token, {});
await before.store.close();

const after = openSessions();
const manifest = [{ step_id: 'pick-up', output: 'Three socks, one book.' }];
const moved = await after.sessions.move(entered.token, { manifest });
const { value } = await after.sessions.status(moved.token);
await after.store.close();
await rm(directory, { recursive: true });

assert.deepEqual(value.completed, ['pick-up']);
assert.equal(value.current, 'sweep');
console.log(`After a restart: ${value.completed.join(', ')} done, ${value.current} next.`);
