import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { printFigures } from '../../../../test/support/print-figures.ts';
import { buildApp, removeApp } from '../support/built-app.ts';
import type { AgentProcess } from './agent-process.ts';
import { startAgent } from './agent-process.ts';
import { moveFrom, placeAt, relayFiles } from '../support/relay-workflow.ts';
import { patienceMs, rounds } from './rounds.ts';
import type { ServedHost } from '../support/served-host.ts';
import { serveHost } from '../support/served-host.ts';
import type { StateFolder } from '../support/state-folder.ts';
import { stateFolder } from '../support/state-folder.ts';
import { outputsOf, wholeJournal } from '../support/whole-journal.ts';

let entry: string;
let folder: StateFolder;

beforeAll(async () => {
  entry = await buildApp();
}, 60_000);

beforeEach(async () => {
  folder = await stateFolder(relayFiles);
});

afterEach(() => folder.dispose());
afterAll(() => removeApp(entry));

async function begin(server: Pick<ServedHost, 'call'>): Promise<{ sid: string; token: string }> {
  const { json, token } = await server.call('start_session', { agent_id: 'agent', workflow_id: 'relay' });
  return { sid: String(json['session_id']), token };
}

/** The position of a session before a move. */
interface Attempt {
  readonly revision: number;
  readonly token: string;
}

/** Makes moves until the server has ended. Returns the position before the move that got no answer. */
async function moveOn(server: AgentProcess, from: Attempt, onAnswer: () => void): Promise<Attempt> {
  let attempt = from;
  for (;;) {
    const { revision, token } = attempt;
    const args = { session_token: token, ...moveFrom(revision, `output ${revision}`) };
    const answer = await server.call('next_activity', args).catch(() => undefined);
    if (answer === undefined) return attempt;
    expect(answer.json, answer.raw).toMatchObject({ activity_id: placeAt(revision + 1) });
    attempt = { revision: revision + 1, token: answer.token };
    onAnswer();
  }
}

const outputsUpTo = (revision: number): readonly (readonly string[])[] =>
  Array.from({ length: revision }, (_, index) => (index < 2 ? [] : [`output ${index}`]));

test(
  `${rounds.kill} servers that are killed during a move lose no answered call and leave nothing unfinished`,
  async () => {
    let server = startAgent({ entry, flags: folder.flags });
    const { sid, token } = await begin(server);
    let attempt: Attempt = { revision: 1, token };
    let kept = 0;
    for (let round = 0; round < rounds.kill; round += 1) {
      let answered: () => void = () => undefined;
      const first = new Promise<void>((resolve) => (answered = resolve));
      const moving = moveOn(server, attempt, answered);
      await first;
      await setTimeout(Math.random() * 30);
      await server.kill();
      attempt = await moving;
      const events = await wholeJournal(folder.state, sid);
      expect([attempt.revision, attempt.revision + 1]).toContain(events.length);
      expect(events.map(outputsOf)).toEqual(outputsUpTo(events.length));
      kept += events.length - attempt.revision;
      server = startAgent({ entry, flags: folder.flags });
      const status = await server.call('get_workflow_status', { session_token: attempt.token });
      expect(status.json, status.raw).toMatchObject({ current_activity: placeAt(events.length) });
    }
    await server.kill();
    expect(kept, 'moves that were stored but not answered').toBeLessThanOrEqual(rounds.kill);
    printFigures('stdio servers killed during a move', {
      kills: rounds.kill,
      'stored but not answered': kept,
    });
  },
  patienceMs,
);

test(
  `A repeated call gets its answer and adds no event after each of ${rounds.kill} servers is killed between commit and answer`,
  async (context) => {
    if (process.platform === 'win32') context.skip('Windows has no named pipes, which hold back the answer.');
    let retrying = serveHost(folder.host);
    const { sid, token } = await begin(retrying);
    const entered = await retrying.call('next_activity', { session_token: token });
    let attempt: Attempt = { revision: 2, token: entered.token };
    for (let round = 0; round < rounds.kill; round += 1) {
      const pipe = fullPipe(join(folder.root, `pipe-${round}`));
      const { revision } = attempt;
      const args = { session_token: attempt.token, ...moveFrom(revision, `output ${revision}`) };
      const server = startAgent({ entry, flags: folder.flags, output: pipe.input });
      server.send('next_activity', args);
      while ((await placeOf(retrying, attempt.token)) === placeAt(revision)) {
        expect(server.isRunning(), server.errors()).toBe(true);
        await setTimeout(1);
      }
      await server.kill();
      expect(pipe.drain(), 'output of the server').not.toContain('{');
      await retrying.close();
      retrying = serveHost(folder.host);
      const again = await retrying.call('next_activity', args);
      expect(again.json, again.raw).toMatchObject({ activity_id: placeAt(revision + 1) });
      expect(await retrying.call('next_activity', args)).toMatchObject({
        text: again.text,
        meta: again.meta,
      });
      const events = await wholeJournal(folder.state, sid);
      expect(events.map(outputsOf)).toEqual(outputsUpTo(revision + 1));
      attempt = { revision: revision + 1, token: again.token };
    }
    await retrying.close();
    printFigures('stdio servers killed between commit and answer', { kills: rounds.kill });
  },
  patienceMs,
);

/** Returns the current activity of a session, which it gets from another server. */
async function placeOf(server: ServedHost, token: string): Promise<unknown> {
  const { json } = await server.call('get_workflow_status', { session_token: token });
  return json['current_activity'];
}

/** Creates a full pipe, so that writing to it has to wait. `drain` empties it. */
function fullPipe(path: string): { readonly input: number; drain(): string } {
  execFileSync('mkfifo', [path]);
  const output = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const input = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  for (const size of [65_536, 4096, 1]) fill(input, Buffer.alloc(size, ' '));
  return {
    input,
    drain() {
      closeSync(input);
      const chunk = Buffer.alloc(1_048_576);
      let text = '';
      for (let size = -1; size !== 0; text += chunk.toString('utf8', 0, size)) {
        size = readSync(output, chunk);
      }
      closeSync(output);
      return text;
    },
  };
}

function fill(pipe: number, chunk: Buffer): void {
  try {
    for (;;) writeSync(pipe, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
}
