// An orchestrator and two workers on one session. What is handed over is a token: nobody needs what the others have in
// their context, and the session knows who took part. Over a server, the tools of sessions do what is called here.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@workflowlookup/host';

const stateDirectory = await mkdtemp(join(tmpdir(), 'hand-over-'));
const { sessions, operator, close } = createHost({ stateDirectory, directories: ['./workflows'] });

/** Stands in for a model. */
const outputs: Readonly<Record<string, string>> = {
  sources: '[1] The release notes: what changed',
  draft: 'Imports are twice as fast [1].',
  claims: 'All stand.',
};

/** A worker: takes the session up, does the steps of its activity, leaves it, and gives the token back. */
async function work(agentId: string, handed: string): Promise<string> {
  const joined = await sessions.start({ agentId, sessionToken: handed });
  const activity = await sessions.activity(joined.token, { full: false });
  const { value } = await sessions.status(activity.token);
  const due = value.next.flatMap((call) => (call.kind === 'move' ? call.steps : []));
  const manifest = due.map((step_id) => ({ step_id, output: outputs[step_id] ?? '' }));
  const left = await sessions.move(activity.token, { manifest });
  console.log(`${agentId} left ${value.current} with ${due.join(', ')}`);
  return left.token;
}

const { value: session, token: first } = await sessions.start({
  agentId: 'orchestrator',
  workflowId: 'article',
});
const { token: entered } = await sessions.move(first, {});
const written = await work('writer', entered);
const reviewed = await work('reviewer', written);

// Whoever kept an older token can read with it and no longer write: two can't go different ways.
await assert.rejects(sessions.move(entered, { manifest: [] }), { code: 'SESSION_CONFLICT' });

const { value: status } = await sessions.status(reviewed);
const { participants } = await operator.history(session.sid);
await close();
await rm(stateDirectory, { recursive: true });

assert.deepEqual(status.completed, ['write', 'review']);
assert.equal(status.current, 'publish');
assert.deepEqual(
  participants.map(({ id }) => id),
  ['orchestrator', 'writer', 'reviewer'],
);
