import { readFile } from 'node:fs/promises';
import { newSessionId } from '@workflowlookup/core/tokens';
import { emptyJournal, sealEvents } from '@workflowlookup/storage/journal';
import { bundledWalks, lengthened } from '../sessions/bundled-walks.mjs';
import { walkSession } from '../sessions/session-walk.mjs';
import { withHost } from '../servers/with-host.mjs';

/** The bundled workflow that is walked to its end. */
export const walkedId = 'dependency-upgrade';

/** The number of bytes of prose that are added to each output. */
export const outputBytes = 500;

/** The methods of a store that write. */
const writes = [
  'putDefinition',
  'putBlob',
  'create',
  'append',
  'recordCall',
  'joinAgent',
  'markDelivered',
  'resetDelivered',
];

/**
 * The writes that a session made to its store.
 *
 * @typedef {object} RecordedWalk
 * @property {string} sid
 * @property {string} writes the calls of the store in order, as JSON
 * @property {number} events
 * @property {number} calls
 * @property {number} submittedBytes bytes of the outputs
 */

/**
 * Walks the workflow to its end in this process and records every write.
 *
 * @param {import('../servers/servers.mjs').Bench} bench
 * @returns {Promise<RecordedWalk>}
 */
export async function recordWalk({ scratch }) {
  const walk = await proseWalk();
  const noted = [];
  const options = {
    stateDirectory: `${scratch}/sizing-walk`,
    workingDirectory: scratch,
    minResponseMs: 0,
    trustElicitation: true,
    wrapStore: (store) => ({ ...store, ...notesOf(store, noted) }),
  };
  const walked = await withHost(options, ({ sessions }) => walkSession(inProcess(sessions), sessions, walk));
  const [{ sid }] = noted.filter(({ name }) => name === 'create').map(({ args }) => args[0]);
  return {
    sid,
    writes: JSON.stringify(noted),
    events: noted.reduce((sum, { args }) => sum + (args.at(-1).events?.length ?? 0), 0),
    calls: noted.filter(({ name }) => name === 'recordCall').length,
    submittedBytes: walked
      .flatMap(({ args }) => args.step_manifest ?? [])
      .reduce((sum, { output = '' }) => sum + Buffer.byteLength(output), 0),
  };
}

/**
 * Returns the walk of the tests with prose added to each output. Databases compress, so the text must be like an
 * agent's.
 */
async function proseWalk() {
  const prose = await readFile(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
  const walk = (await bundledWalks()).find(({ id }) => id === walkedId);
  let from = 0;
  const outputOf = (step, visit) => {
    from = (from + outputBytes) % (prose.length - outputBytes);
    return lengthened(walk.outputOf(step, visit), prose.slice(from, from + outputBytes));
  };
  return { ...walk, outputOf };
}

function notesOf(store, noted) {
  const noting =
    (name) =>
    (...args) => {
      noted.push(structuredClone({ name, args }));
      return store[name](...args);
    };
  return Object.fromEntries(writes.map((name) => [name, noting(name)]));
}

/** Adapts sessions in this process to the server that `walkSession` expects. */
function inProcess(sessions) {
  const toolOf = {
    start_session: ({ agent_id: agentId, workflow_id: workflowId }) =>
      sessions.start({ agentId, workflowId }),
    get_workflow: ({ session_token: token }) => sessions.workflow(token, { summary: true, full: false }),
    get_activity: ({ session_token: token }) => sessions.activity(token, { full: false }),
    next_activity: ({ session_token: token, step_manifest: manifest, variables }) =>
      sessions.move(token, {
        ...(manifest && { manifest: manifest.map((entry) => ({ output: '', ...entry })) }),
        ...(variables && { variables }),
      }),
    yield_checkpoint: ({ session_token: token, checkpoint_id: id }) => sessions.yield(token, id),
    present_checkpoint: ({ session_token: token }) => sessions.present(token),
    respond_checkpoint: ({ session_token: token, option_id: option }) =>
      sessions.answer(token, { mode: { kind: 'option', option }, note: 'Because.' }),
    resume_checkpoint: ({ session_token: token }) => sessions.resume(token),
  };
  return {
    async tool(name, args) {
      const { token } = await toolOf[name](args);
      return { result: { content: [{ type: 'text', text: '' }], _meta: { session_token: token } } };
    },
  };
}

/** The number of sessions that are written at once. */
const atOnce = 32;

/**
 * Adds sessions by repeating the recorded writes. Each session has a new id and therefore new hashes.
 *
 * @param {import('@workflowlookup/storage').SessionStore} store
 * @param {RecordedWalk} walk
 * @param {number} count
 */
export async function repeatWalks(store, walk, count) {
  const numbers = Array.from({ length: count }).keys();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const _ of numbers) await repeatWalk(store, walk, newSessionId());
    }),
  );
}

async function repeatWalk(store, { sid, writes: text }, newSid) {
  let head = emptyJournal;
  for (const { name, args } of JSON.parse(text.replaceAll(sid, newSid))) {
    const write = args.at(-1);
    if (write.events !== undefined) {
      write.events = sealEvents(
        newSid,
        head,
        write.events.map(({ at, type, data }) => ({ at, type, data })),
      );
      head = write.events.at(-1);
    }
    const isKept = await store[name](...args);
    if (isKept === false) throw new Error(`${name} of ${newSid} was refused`);
  }
}
