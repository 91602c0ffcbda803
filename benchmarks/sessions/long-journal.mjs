import { join } from 'node:path';
import { begin, decide, evolve, graphNavigator } from '@workflowlookup/core/decisions';
import { loadKeyRing } from '@workflowlookup/host';
import { sealEvents } from '@workflowlookup/storage/journal';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { makeState } from './kept-sessions.mjs';
import { ringId, ringManifest } from '../definitions/ring-workflow.mjs';
import { withHost } from '../servers/with-host.mjs';

/** The number of events in one write. Smaller writes would make a long journal slow to create. */
const batch = 1000;
const at = '2026-01-01T00:00:00.000Z';

/**
 * Creates a state directory with one session of the ring workflow. Its journal has the given number of events, which
 * the engine's own functions decide, apply and seal, and the snapshot after the last one.
 *
 * @param {string} wanted a directory that is not there yet
 * @param {{ definitions: string, scratch: string, events: number }} what
 * @returns {Promise<{ state: string, sid: string, token: string }>}
 */
export async function makeLongSession(wanted, { definitions, scratch, events }) {
  let started;
  const state = await makeState(wanted, async (stateDirectory) => {
    started = await startOne({ definitions, stateDirectory, workingDirectory: scratch });
    const keys = loadKeyRing({ stateDirectory });
    const store = createSqliteSessionStore({ file: join(stateDirectory, 'sessions.db'), keys: () => keys });
    try {
      await extend(store, started.sid, events);
    } finally {
      await store.close();
    }
  });
  return { state, ...started };
}

function startOne(options) {
  return withHost(options, async ({ sessions }) => {
    const { value, token } = await sessions.start({ agentId: 'agent', workflowId: ringId });
    return { sid: value.sid, token };
  });
}

async function extend(store, sid, events) {
  const { session, events: first, snapshot } = await store.load(sid);
  const navigator = graphNavigator(await store.getDefinition(session.digest));
  let head = session;
  let state = snapshot?.state ?? begin(sid, { at: first[0].at, event: first[0].data });
  while (state.revision < events) {
    const drafts = [];
    const count = Math.min(batch, events - state.revision);
    while (drafts.length < count) {
      const { event } = decide(state, commandFor(state), { ...circumstances, navigator });
      drafts.push({ at, type: event.type, data: event });
      state = evolve(state, { at, event });
    }
    const sealed = sealEvents(sid, head, drafts);
    await store.append(sid, head.revision, { events: sealed, snapshot: { revision: state.revision, state } });
    head = sealed.at(-1);
  }
}

const circumstances = { nowMs: Date.parse(at), minResponseMs: 0, gates: 'declared', judge: () => undefined };

function commandFor({ current }) {
  return current === undefined ? { kind: 'move' } : { kind: 'move', manifest: ringManifest };
}
