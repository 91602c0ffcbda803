// This program runs an agent and asks a person at its checkpoints. The agent stops at a checkpoint and waits for the
// answer. It can't give the answer itself. The session records the name of the person who answered.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createHost } from '@workflowlookup/host';

const stateDirectory = await mkdtemp(join(tmpdir(), 'ask-the-user-'));
const host = createHost({ stateDirectory, directories: ['./workflows'], person: 'Ada' });
const { sessions, operator } = host;

/** Shows the checkpoint of a session in the terminal, and submits the option that the user chooses. */
async function askUser(sid: string): Promise<void> {
  const { checkpoint, revision } = await operator.present(sid);
  const options = checkpoint.options.map(({ id, label }) => `  ${id}: ${label}`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const option = await terminal.question(`${checkpoint.message}\n${options.join('\n')}\n> `);
  terminal.close();
  await operator.respond(sid, { mode: { kind: 'option', option }, revision });
}

/** Acts as the agent: it makes the next legal call until the session ends. At a checkpoint, it calls `onWait`. */
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
