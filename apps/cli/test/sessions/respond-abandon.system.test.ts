import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { markedCheckpoint } from '@workflowlookup/core/sessions';
import { terminalMessages } from '../../src/messages/common.ts';
import { checkpointMessages, sessionMessages } from '../../src/messages/sessions.ts';
import { openServer } from '../../../stdio/test/support/server-process.ts';
import { canOpenTerminal } from '../support/at-terminal.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { evidenceFor, evidenceText, questionText } from '../../src/sessions/question-text.ts';
import { historyText } from '../../src/sessions/show.ts';
import type { TestCli } from '../support/test-cli.ts';
import { atCheckpoint, atFetch, buildCli, openTestCli, removeApp } from '../support/test-cli.ts';

let entry: string;
let cli: TestCli;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

beforeEach(async () => {
  cli = await openTestCli(entry);
});

afterEach(() => cli.dispose());

afterAll(() => removeApp(entry));

describe('respond', () => {
  test('answers a checkpoint, and repeats the result for the same answer', async () => {
    const { sid } = await atCheckpoint(cli);
    const args = ['sessions', 'respond', sid.slice(0, 12), 'yes', '--note', 'Oven is hot'];
    const { code, out, err } = await cli.run(args);
    expect({ code, out: cli.mask(out), err }).toEqual({
      code: 0,
      out: 'Checkpoint bake-now of session SID is answered: yes.\n',
      err: '',
    });
    const first = jsonOf('sessions-respond', (await cli.run([...args, '--json'])).out);
    expect(first).toMatchObject({
      sid,
      checkpoint: 'bake-now',
      answer: { kind: 'option', option: 'yes' },
      revision: 4,
    });
    expect(jsonOf('sessions-respond', (await cli.run([...args, '--json'])).out)).toEqual(first);
    const [answered] = await cli.host.operator.events(sid, { after: 3 });
    expect(answered?.event).toMatchObject({ by: 'human', note: 'Oven is hot' });
  });

  test('names the person who answered first', async () => {
    const { sid } = await atCheckpoint(cli);
    await cli.host.operator.respond(sid, { mode: { kind: 'option', option: 'yes' } });
    const { code, err } = await cli.run(['sessions', 'respond', sid, '--option', 'no']);
    expect(code).toBe(1);
    for (const part of ["'bake-now'", "'yes'", 'ana', 'SESSION_CONFLICT']) expect(err).toContain(part);
  });

  test.each([
    { checkpoint: 'pay', more: ['yes'], code: 2, says: checkpointMessages.needsTerminal('pay', '') },
    {
      checkpoint: 'bake-now',
      more: ['yes', '--gates', 'human'],
      code: 2,
      says: checkpointMessages.needsTerminal('bake-now', ''),
    },
    { checkpoint: 'bake-now', more: [], code: 2, says: checkpointMessages.nameOption('bake-now', 'yes, no') },
    {
      checkpoint: 'bake-now',
      more: ['perhaps'],
      code: 2,
      says: checkpointMessages.noOption('bake-now', 'perhaps', 'yes, no'),
    },
    {
      checkpoint: 'bake-now',
      more: ['yes', '--option', 'no'],
      code: 2,
      says: checkpointMessages.twoAnswers('yes', 'no'),
    },
  ])('without a terminal refuses $checkpoint $more', async ({ checkpoint, more, code, says }) => {
    const { sid } = await atCheckpoint(cli, checkpoint);
    const ended = await cli.run(['sessions', 'respond', sid, ...more]);
    expect({ code: ended.code, out: ended.out }).toEqual({ code, out: '' });
    expect(ended.err).toContain(says);
    expect(ended.err.trim().split('\n')).toHaveLength(1);
    expect(await cli.host.operator.present(sid)).toMatchObject({ revision: 3 });
  });

  test('reports that no checkpoint needs an answer', async () => {
    const { sid } = await atFetch(cli);
    const { code, err } = await cli.run(['sessions', 'respond', sid, 'yes']);
    expect(code).toBe(1);
    expect(cli.mask(err)).toBe(
      `workflowlookup: ${checkpointMessages.noneWaiting('SID', 'SID')} (INVALID_STATE)\n`,
    );
  });

  test('answers with an option that requires a note only with one', async () => {
    const { sid } = await atCheckpoint(cli, 'order');
    const refused = await cli.run(['sessions', 'respond', sid, 'other']);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('NOTE_REQUIRED');
    expect(await cli.run(['sessions', 'respond', sid, 'other', '--note', 'Wheat'])).toMatchObject({
      code: 0,
    });
  });

  test("answers with an option that can't be undone only with --yes", async () => {
    const { sid } = await atCheckpoint(cli, 'order');
    const refused = await cli.run(['sessions', 'respond', sid, 'yes']);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('--yes');
    expect(await cli.run(['sessions', 'respond', sid, 'yes', '--yes'])).toMatchObject({ code: 0 });
  });

  describe.skipIf(!canOpenTerminal)('at a terminal', () => {
    const inTerminal = (input: string) => ({ inTerminal: true, input, env: { NO_COLOR: '1' } });

    test('shows the checkpoint and the effect of each option, and asks until one is chosen', async () => {
      const { sid } = await atCheckpoint(cli);
      const { code, out } = await cli.run(['sessions', 'respond', sid], inTerminal('9\n1\n'));
      expect(code).toBe(0);
      const [shown = ''] = out.replaceAll('\r', '').split(checkpointMessages.question(2));
      expect(cli.mask(shown)).toMatchInlineSnapshot(`
        "Variables
          flour  "rye"  as it was at the start

        Bake now?
        bake-now of 'fetch' in errands, session SID
        definition from custom-1, sha256:fccc09fb6d70202b

          There is rye.
          Bake?

          1. yes: Yes
             The oven is lit.
             sets hot to true
             continues with bake
             skips rest
          2. no: No

        "
      `);
      expect(cli.mask(out)).toContain(checkpointMessages.answered('bake-now', 'SID', 'yes'));
    });

    test('shows escaped texts of agents, and who set each variable', async () => {
      const begun = await atFetch(cli);
      const { sid } = begun;
      // The answer does not change the variable that the agent set, and afterwards no agent can change it.
      const { token } = await cli.host.sessions.yield(begun.token, 'bake-now', { hot: false });
      await cli.host.operator.respond(sid, { mode: { kind: 'option', option: 'no' } });
      const resumed = await cli.host.sessions.resume(token);
      const long = `First line\u001B[2J\n${'x'.repeat(3_000)}`;
      const manifest = [
        { step_id: 'buy', output: long },
        { step_id: 'ask', output: 'Asked' },
      ];
      await cli.host.sessions.move(resumed.token, { manifest });
      const evidence = evidenceText(
        await evidenceFor(cli.host.operator, { sid, checkpoint: { id: 'bake-now' } as never }),
        sid,
        (_, text) => text,
      );
      expect(evidence).toContain('  | First line\\u{1b}[2J\n  | xxx');
      expect(evidence).toContain('more characters');
      expect(evidence).toContain(`workflowlookup sessions show ${sid} --json`);
      expect(evidence).toMatch(/flour +"rye" +as it was at the start/);
      expect(evidence).toMatch(/hot +false +set by an agent at event \d/);
    });

    test('marks the text of an agent in a checkpoint, whatever it looks like', async () => {
      const { sid, token } = await atFetch(cli);
      const forged = 'rye».\n\n  1. yes: The workflow checked it. «';
      await cli.host.sessions.yield(token, 'bake-now', { flour: forged });
      const question = await cli.host.operator.present(sid);
      expect(question.values).toMatchObject([
        { name: 'flour', value: forged, by: 'agent', isFromWorkflow: false },
      ]);
      const { message } = markedCheckpoint(question);
      expect(message).toBe('There is «rye\\u{bb}.    1. yes: The workflow checked it. \\u{ab}».\nBake?');
      const text = questionText(question, { paint: (_, plain) => plain });
      expect(text.match(/^ {2}1\. /gm)).toHaveLength(1);
      expect(text).toMatch(/^ {2}flour .+ set by an agent at event 3$/m);
    });

    test.each([
      { input: 'y\n', code: 0, status: 'active' },
      { input: 'n\n', code: 2, status: 'blocked' },
      { input: '\u0003', code: 2, status: 'blocked' },
      { input: '\u0004', code: 2, status: 'blocked' },
    ])('asks whether the answer named for a person is theirs: $input', async ({ input, code, status }) => {
      const { sid } = await atCheckpoint(cli, 'pay');
      const ended = await cli.run(['sessions', 'respond', sid, 'yes'], inTerminal(input));
      expect(ended.out).toContain('Pay the miller?');
      expect(ended.code).toBe(code);
      expect((await cli.host.operator.find({})).sessions[0]?.status).toBe(status);
    });

    test('prints colours unless they are turned off', async () => {
      const { sid } = await atCheckpoint(cli);
      const coloured = await cli.run(['sessions', 'show', sid], { inTerminal: true });
      const plain = await cli.run(['sessions', 'show', sid], inTerminal(''));
      expect(coloured.out).toContain('\u001B[');
      expect(plain.out).not.toContain('\u001B[');
    });
  });
});

describe('an answer in the history of a session', () => {
  test('shows its channel, and has a warning if it belongs to another checkpoint or was imported', async () => {
    const { sid } = await atCheckpoint(cli);
    await cli.host.operator.respond(sid, { mode: { kind: 'option', option: 'yes' } });
    const history = await cli.host.operator.history(sid);
    const plain = { paint: (_: string, text: string) => text };
    const textOf = (one: typeof history) => historyText(one, { outputs: [], question: undefined }, plain);
    expect(textOf(history)).toMatch(/yes by ana after \d+ s through command-line, from an account/);
    expect(textOf(history)).not.toContain('WARNING');
    const moved = history.checkpoints.map((checkpoint) => ({
      ...checkpoint,
      ...(checkpoint.answered?.decided && {
        answered: {
          ...checkpoint.answered,
          isImported: true as const,
          decided: { ...checkpoint.answered.decided, isAsAsked: false },
        },
      }),
    }));
    expect(textOf({ ...history, checkpoints: moved })).toContain('(imported, not decided here) (WARNING: ');
  });
});

describe('abandon', () => {
  test('needs --yes without a terminal', async () => {
    const { sid } = await atFetch(cli);
    const refused = await cli.run(['sessions', 'abandon', sid]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(terminalMessages.needsYes(sessionMessages.toAbandon));
    const { code, out } = await cli.run(['sessions', 'abandon', sid, '--yes']);
    expect({ code, out: cli.mask(out) }).toEqual({ code: 0, out: `${sessionMessages.abandoned('SID')}\n` });
    const again = await cli.run(['sessions', 'abandon', sid, '--yes', '--json']);
    expect(jsonOf('sessions-abandon', again.out)).toMatchObject({ sid, outcome: 'abandoned', revision: 3 });
    const { out: history } = await cli.run(['sessions', 'show', sid]);
    expect(history).toContain("advisory: abandoned at 'fetch'");
  });

  test.skipIf(!canOpenTerminal)('asks for confirmation at a terminal', async () => {
    const { sid } = await atFetch(cli);
    const no = await cli.run(['sessions', 'abandon', sid], { inTerminal: true, input: 'n\n' });
    expect(no.code).toBe(2);
    const yes = await cli.run(['sessions', 'abandon', sid], { inTerminal: true, input: 'y\n' });
    expect(yes.code).toBe(0);
  });
});

describe('a person, while an agent uses the server over stdio', () => {
  test.skipIf(!canOpenTerminal)(
    'can answer a checkpoint that the agent cannot, and the waiting agent continues',
    async () => {
      const sources = ['--no-bundled', '--no-user', '--no-project', '--workflows', cli.definitions];
      const args = ['serve', 'stdio', ...sources, '--state', cli.state, '--gates', 'human'];
      const server = await openServer({ entry, args, cwd: cli.root });
      const call = async (method: string, params: object): Promise<Record<string, unknown>> =>
        (await server.request(method, params)).result ?? {};
      const started = await call('start_session', { agent_id: 'baker', workflow_id: 'errands' });
      const entered = await call('next_activity', { session_token: started['session_token'] });
      const yielded = await call('yield_checkpoint', {
        session_token: entered['session_token'],
        checkpoint_id: 'bake-now',
      });
      const handle = yielded['checkpoint_handle'] ?? yielded['session_token'];
      const { error } = await server.request('respond_checkpoint', {
        checkpoint_handle: handle,
        option_id: 'yes',
      });
      const elsewhere = { env: { WORKFLOWLOOKUP_STATE: cli.state } };
      const said = JSON.stringify(error) ?? '';
      const answer =
        /workflowlookup (sessions respond [^"]*?[0-9a-f]{20})\b/.exec(said)?.[1]?.split(' ') ?? [];
      const waiting = server.request('resume_checkpoint', { session_token: handle, wait_ms: 15_000 });
      const { err } = await cli.run([...answer, 'yes'], elsewhere);
      expect(err).toContain(checkpointMessages.needsTerminal('bake-now', ''));
      const { code } = await cli.run(answer, { ...elsewhere, inTerminal: true, input: '1\n' });
      expect(code).toBe(0);
      const { result } = await waiting;
      const next = await call('next_activity', {
        session_token: result?.['session_token'],
        step_manifest: [
          { step_id: 'buy', output: 'A sack' },
          { step_id: 'ask', output: 'Asked' },
        ],
      });
      server.endInput();
      expect(await server.ended).toBe(0);
      expect(JSON.stringify(next)).toContain('bake');
      const { checkpoints } = await cli.host.operator.history(answer.at(-1) ?? '');
      expect(checkpoints).toMatchObject([{ checkpoint: 'bake-now', answered: { by: 'human' } }]);
    },
  );
});
