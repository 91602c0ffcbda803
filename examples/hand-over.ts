// An orchestrator and two workers take turns in one session. Each gets only the session token, and needs nothing from the
// context of the others. The session records which agents took part. With a server, agents make the same calls with the
// session tools.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@workflowlookup/host';

const stateDirectory = await mkdtemp(join(tmpdir(), 'hand-over-'));
const { sessions, operator, close } = createHost({ stateDirectory, directories: ['./workflows'] });

/** The outputs of each step, in place of a model. */
const outputs: Readonly<Record<string, string>> = {
  sources: '[1] The release notes: what changed',
  draft: 'Imports are twice as fast [1].',
  claims: 'All stand.',
};

/** Acts as a worker: takes over the session, does the steps of its activity, leaves it, and returns the new token. */
async function work(agentId: string, sessionToken: string): Promise<string> {
  const joined = await sessions.start({ agentId, sessionToken });
  const activity = await sessions.activity(joined.token, { full: false });
  const { value } = await sessions.status(activity.token);
  const required = value.next.flatMap((call) => (call.kind === 'move' ? call.steps : []));
  const manifest = required.map((step_id) => ({ step_id, output: outputs[step_id] ?? '' }));
  const left = await sessions.move(activity.token, { manifest });
  console.log(`${agentId} left ${value.current} with ${required.join(', ')}`);
  return left.token;
}

const { value: session, token: first } = await sessions.start({
  agentId: 'orchestrator',
  workflowId: 'article',
});
const { token: entered } = await sessions.move(first, {});
const written = await work('writer', entered);
const reviewed = await work('reviewer', written);

// An agent with an older token can read, but not write. So two agents can't move the session in different directions.
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
