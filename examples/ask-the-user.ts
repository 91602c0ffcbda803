// A program that runs an agent and puts its checkpoints to its user. The agent can stop at a checkpoint and wait; the
// answer comes from outside of it, carries the name of the person, and is refused to the agent itself.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createHost } from '@workflowlookup/host';

const stateDirectory = await mkdtemp(join(tmpdir(), 'ask-the-user-'));
const host = createHost({ stateDirectory, directories: ['./workflows'], person: 'Ada' });
const { sessions, operator } = host;

/** Puts the question of a session to the user at this terminal, and their answer to the session. */
async function askUser(sid: string): Promise<void> {
  const { checkpoint, revision } = await operator.present(sid);
  const options = checkpoint.options.map(({ id, label }) => `  ${id}: ${label}`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const option = await terminal.question(`${checkpoint.message}\n${options.join('\n')}\n> `);
  terminal.close();
  await operator.respond(sid, { mode: { kind: 'option', option }, revision });
}

/** The agent: does what is legal next until the session is over. It knows nothing of `askUser`. */
async function runAgent(sid: string, started: string, onWait: (sid: string) => Promise<void>): Promise<void> {
  let token = started;
  for (;;) {
    const { status, next } = (await sessions.status(token)).value;
    if (status === 'completed') return;
    const [checkpoint] = next.filter((call) => call.kind === 'yield');
    const steps = next.flatMap((call) => (call.kind === 'move' ? call.steps : []));
    if (checkpoint === undefined) {
      const manifest = steps.map((step_id) => ({ step_id, output: `Done: ${step_id} [1]` }));
      ({ token } = await sessions.move(token, { manifest }));
    } else {
      ({ token } = await sessions.yield(token, checkpoint.checkpoint));
      const own = { mode: { kind: 'option', option: 'publish' } } as const;
      await assert.rejects(sessions.answer(token, own), { code: 'HUMAN_REQUIRED' });
      const resumed = sessions.resume(token, { waitMs: 50_000 });
      await onWait(sid);
      ({ token } = await resumed);
    }
  }
}

const { value, token } = await sessions.start({ agentId: 'writer', workflowId: 'article' });
await runAgent(value.sid, token, askUser);

const { checkpoints, session } = await operator.history(value.sid);
await host.close();
await rm(stateDirectory, { recursive: true });

const [answered] = checkpoints.map((checkpoint) => checkpoint.answered);
assert.equal(session.status, 'completed');
assert.equal(answered?.by, 'human');
assert.equal(answered.person, 'Ada');
console.log(`${answered.person} answered:`, answered.answer);
