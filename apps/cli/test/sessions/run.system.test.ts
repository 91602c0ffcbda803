import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkpointMessages, runMessages } from '../../src/messages/sessions.ts';
import { optionMessages } from '../../src/messages/common.ts';
import { flow } from '../support/definitions.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { maskSessionIds, openTeaProject, stateFlags, sessionsOf } from './tea-project.ts';
import type { TestCli } from '../support/test-cli.ts';
import { atCheckpoint, atFetch, buildCli, openTestCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

const plan = flow('plan', {
  steps: [
    {
      id: 'plan',
      title: 'Plan',
      prompt: 'Plan it.',
      fields: [
        { id: 'size', type: 'choice', options: ['small', 'large'] },
        { id: 'files', type: 'list', min_items: 1, description: 'What must change' },
        { id: 'note', required: false },
      ],
    },
  ],
});

/** Parses the JSON lines of a run, and checks each against the schema. */
function eventsIn(out: string, schema = 'run'): readonly Readonly<Record<string, unknown>>[] {
  return out
    .trim()
    .split('\n')
    .map((line) => jsonOf(schema, line) as Record<string, unknown>);
}

describe('run with lines', () => {
  test('completes a workflow: shows each step, checks outputs and answers a checkpoint', async () => {
    const project = await openTeaProject(entry);
    const input = [
      '{"output": "It is hot", "variables": {"milk": true}}',
      '"Poured"',
      'Served',
      'confirm',
      '',
    ];
    const { code, out, err } = await project.run(
      ['run', 'tea', ...stateFlags, '--context', '{"guests": 2}'],
      {
        input: input.join('\n'),
      },
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(maskSessionIds(out)).toBe(`Session SID of Tea (tea 1.0.0) was started.

Boil (boil)

  Boil water.

Refused with:
  Say that it is hot


Pour (pour)

  Pour for 2.


Serve (serve)

  Serve it.
${'  '}
  Ask the user to confirm this step before you continue.


Confirm: Serve
  Confirm the outcome of 'Serve', or have it revised.
confirm: confirm
Session SID is completed.
`);
  });

  test('shows the fields of a step, and accepts them as labels or as an object', async () => {
    const project = await openTeaProject(entry);
    await project.write('workflows/plan.json', plan);
    const input = ['{"output": {"size": "small", "files": ["a.ts"]}}', ''].join('\n');
    const { code, out } = await project.run(['run', 'plan', ...stateFlags], { input });
    expect(code).toBe(0);
    expect(out).toContain(
      '  size (one of small, large)\n  files (list of: text): What must change\n  note (text, optional)\n',
    );
    const refused = await project.run(['run', 'plan', ...stateFlags], { input: 'size: huge\n' });
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining(runMessages.notAccepted('plan')) });
  });

  test('writes the same journal as an agent, with the name of the person', async () => {
    const project = await openTeaProject(entry);
    const input = 'It is hot\nServed\nconfirm\n';
    const args = ['run', 'tea', ...stateFlags, '--context', '{"milk": false}', '--agent', 'ana', '--json'];
    const { out } = await project.run(args, { input });
    const [{ sid }] = eventsIn(out) as [{ sid: string }];
    const { out: history } = await project.run(['sessions', 'show', sid, '--json', '--state', 'state']);
    expect(jsonOf('sessions-show', history)).toMatchObject({
      session: { agent: 'ana', status: 'completed' },
      moves: [
        { to: 'boil', steps: [] },
        { from: 'boil', to: 'serve', steps: ['boil'] },
        { from: 'serve', steps: ['serve'] },
      ],
      checkpoints: [{ checkpoint: 'confirm', answered: { by: 'human', answer: { option: 'confirm' } } }],
      chain: { ok: true },
    });
  });

  test('prints each event as a line of JSON', async () => {
    const project = await openTeaProject(entry);
    const { code, out } = await project.run(['run', 'tea', ...stateFlags, '--json'], {
      input: 'It is hot\n',
    });
    expect(code).toBe(0);
    expect(eventsIn(out).map(({ event }) => event)).toEqual([
      'started',
      'entered',
      'step',
      'entered',
      'step',
      'left',
    ]);
    expect(eventsIn(out).at(-1)).toMatchObject({
      at: 'serve',
      resume: expect.stringMatching(/resume \w+ --state state$/),
    });
  });

  test('reports the failure and its reason, stops, and leaves the session at its step', async () => {
    const project = await openTeaProject(entry);
    const { code, out } = await project.run(['run', 'tea', ...stateFlags], { input: 'It is cold\nServed\n' });
    expect(code).toBe(1);
    expect(maskSessionIds(out)).toContain(`Not accepted: boil
  Say that it is hot
  Review validation criteria and adjust output accordingly.
  Include "hot".
Session SID is at 'boil'. To resume it: workflowlookup sessions resume SID --state state
`);
    expect(await sessionsOf(project)).toMatchObject([{ status: 'active', revision: 2 }]);
  });

  test('continues a session with outputs from files', async () => {
    const project = await openTeaProject(entry);
    await project.write('boiled.md', 'It is\nhot\n');
    await project.write('context.json', { milk: true });
    const first = await project.run([
      'run',
      'tea',
      ...stateFlags,
      '--output',
      'boiled.md',
      '--context',
      '@context.json',
      '--json',
    ]);
    expect(first.code).toBe(0);
    const [{ sid }] = eventsIn(first.out) as [{ sid: string }];
    const resumed = await project.run(['run', '--session', sid.slice(0, 12), ...stateFlags, '--json'], {
      input: 'Poured\n',
    });
    expect(eventsIn(resumed.out)).toMatchObject([
      { event: 'resumed', sid },
      { event: 'step', activity: { id: 'pour' } },
      { event: 'entered', activity: 'serve' },
      { event: 'step', activity: { id: 'serve' } },
      { event: 'left', at: 'serve' },
    ]);
  });

  test.each([
    { args: ['run', 'tea'], input: '', says: runMessages.noInput },
    { args: ['run'], input: 'x', says: runMessages.nameSubject },
    { args: ['run', 'tea', '--session', '5d0c'], input: 'x', says: runMessages.nameSubject },
    { args: ['run', 'nowhere'], input: 'x', says: /'nowhere'.*\(WORKFLOW_NOT_FOUND\)/ },
    { args: ['run', '--session', '5d0c'], input: 'x', says: /'5d0c'.*\(NOT_FOUND\)/ },
    { args: ['run', 'tea', '--context', '[1]'], input: 'x', says: optionMessages.context },
    { args: ['run', 'tea', '--context', '@nowhere.json'], input: 'x', says: '(ENOENT)' },
    { args: ['sessions', 'resume', '5d0c'], input: 'x', says: /'5d0c'.*\(NOT_FOUND\)/ },
  ])('$args is refused, and starts no session', async ({ args, input, says }) => {
    const project = await openTeaProject(entry);
    const state = args[0] === 'run' ? stateFlags : ['--state', 'state'];
    const { code, out, err } = await project.run([...args, ...state], { input });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(says);
    expect(await sessionsOf(project)).toEqual([]);
  });

  test('exits quietly when its output is closed, and keeps the session', async () => {
    const project = await openTeaProject(entry);
    const started = project.start(['run', 'tea', ...stateFlags], { input: 'It is hot\n' });
    started.child.stdout?.destroy();
    const { err } = await started.ended;
    expect(err).not.toMatch(/EPIPE|\n +at /);
    expect(await sessionsOf(project)).toMatchObject([{ status: 'active' }]);
  });
});

describe('run of an activity workflow with lines', () => {
  let cli: TestCli;

  beforeEach(async () => {
    cli = await openTestCli(entry);
  });

  afterEach(() => cli.dispose());

  const from = (): readonly string[] => ['--no-bundled', '--workflows', cli.definitions];

  test('asks at the checkpoint of a step and follows the answer, and waits if only a person can answer', async () => {
    const { code, out, err } = await cli.run(['run', 'errands', ...from(), '--json'], {
      input: 'A sack\nAsked\n{"option": "yes", "note": "Use rye."}\nKneaded\n',
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { sessions } = await cli.host.operator.find({ workflowId: 'errands' });
    expect(await cli.host.operator.history(sessions[0]?.sid ?? '')).toMatchObject({
      checkpoints: [{ answered: { note: 'Use rye.' } }],
    });
    expect(eventsIn(out)).toMatchObject([
      { event: 'started' },
      { event: 'entered', activity: 'fetch' },
      { event: 'step', step: { id: 'buy' } },
      { event: 'step', step: { id: 'ask', checkpoint: 'bake-now' } },
      { event: 'checkpoint', checkpoint: { id: 'bake-now', message: 'There is rye.\nBake?' } },
      { event: 'answered', option: 'yes' },
      { event: 'entered', activity: 'bake' },
      { event: 'step', step: { id: 'knead' } },
      { event: 'completed' },
    ]);
  });

  test('submits the steps in the order of the activity, with optional ones', async () => {
    await mkdir(join(cli.definitions, 'packing'));
    const fold = { id: 'fold', version: '1.0.0', name: 'Fold' };
    const steps = [{ id: 'iron', required: false }, { id: 'fold' }, { id: 'pack' }];
    await writeFile(
      join(cli.definitions, 'packing', 'workflow.json'),
      JSON.stringify({ id: 'packing', version: '1.0.0', title: 'Packing', activities: [{ ...fold, steps }] }),
    );
    const input = 'Folded\n{"output": "Ironed", "step": "iron"}\nPacked\n';
    const { code, out } = await cli.run(['run', 'packing', ...from(), '--json'], { input });
    expect(code).toBe(0);
    expect(eventsIn(out).at(-1)).toMatchObject({ event: 'completed', warnings: [] });
    const { sessions } = await cli.host.operator.find({ workflowId: 'packing' });
    const { moves } = await cli.host.operator.history(sessions[0]?.sid ?? '');
    expect(moves.at(-1)?.steps).toEqual(['iron', 'fold', 'pack']);
  });

  test('refuses to answer for a person without a terminal', async () => {
    const { sid } = await atCheckpoint(cli, 'pay');
    const { code, err } = await cli.run(['sessions', 'resume', sid], { input: 'yes\n' });
    expect(code).toBe(2);
    expect(err).toContain(checkpointMessages.needsTerminal('pay', ''));
    expect((await cli.host.operator.find({})).sessions[0]?.status).toBe('blocked');
  });

  test('prints what an agent needs to take over a session, and the printed calls work', async () => {
    const { sid } = await atFetch(cli);
    const { code, out } = await cli.run(['sessions', 'resume', sid, '--print']);
    expect(code).toBe(0);
    expect(cli.mask(out)).toBe(`Take over a session of Errands (errands 1.0.0). It is at 'fetch'.

The workflowlookup server stores it. Make these calls in order:
  start_session {"agent_id":"YOUR-NAME","session_token":"SID"}
  get_workflow_status {"session_token":"THE-TOKEN-OF-THAT-ANSWER"}

The second result has the current state and the calls that are legal now. Each result has the token for the next call.
`);
    const { out: json } = await cli.run(['sessions', 'resume', sid, '--print', '--json']);
    const { calls } = jsonOf('sessions-resume', json) as {
      calls: [{ arguments: { session_token: string } }];
    };
    const { token } = await cli.host.sessions.start({
      agentId: 'other',
      sessionToken: calls[0].arguments.session_token,
    });
    expect((await cli.host.sessions.status(token)).value).toMatchObject({ current: 'fetch' });
  });

  test('refuses to hand over a completed session', async () => {
    const { sid } = await atFetch(cli);
    await cli.host.operator.abandon(sid);
    expect(await cli.run(['sessions', 'resume', sid, '--print'])).toMatchObject({ code: 1, out: '' });
    const { code, out } = await cli.run(['sessions', 'resume', sid], { input: 'x\n' });
    expect({ code, out: cli.mask(out).split('\n').at(-2) }).toEqual({
      code: 0,
      out: 'Session SID is abandoned.',
    });
  });
});
