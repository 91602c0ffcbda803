import { chmod, chown, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqliteFailures } from '../../../../packages/storage/test/support/messages.ts';
import { optionMessages } from '../../src/messages/common.ts';
import { sessionMessages, sessionTexts } from '../../src/messages/sessions.ts';
import { eventually } from '../../../stdio/test/support/server-process.ts';
import { jsonOf } from '../support/json-schemas.ts';
import type { TestCli } from '../support/test-cli.ts';
import {
  atCheckpoint,
  atFetch,
  buildCli,
  fetchManifest,
  openTestCli,
  removeApp,
} from '../support/test-cli.ts';

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

describe('the commands for sessions', () => {
  test('include --version', async () => {
    const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    expect(await cli.run(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  test.each([
    { args: ['sessions', 'lits'], says: "unknown command 'lits'" },
    { args: ['sessions', 'show'], says: "missing required argument 'session'" },
    { args: ['sessions', 'list', '--limit', '0'], says: optionMessages.between(1, 1000) },
    {
      args: ['sessions', 'list', '--status', 'open'],
      says: optionMessages.oneOf(['active', 'blocked', 'parked', 'completed']),
    },
    { args: ['sessions', 'list', '--newer', 'soon'], says: optionMessages.age('soon') },
    { args: ['sessions', 'prune'], says: '--before' },
    { args: ['sessions', 'show', '5d0c'], says: /'5d0c'.*\(NOT_FOUND\)/ },
    { args: ['sessions', 'follow', '5d0c'], says: /'5d0c'.*\(NOT_FOUND\)/ },
    { args: ['sessions', 'respond', '5d0c', 'yes'], says: /'5d0c'.*\(NOT_FOUND\)/ },
    { args: ['sessions', 'abandon', '5d0c', '--yes'], says: /'5d0c'.*\(NOT_FOUND\)/ },
    { args: ['sessions', 'export', '5d0c'], says: /'5d0c'.*\(NOT_FOUND\)/ },
    { args: ['sessions', 'verify', '5d0c'], says: /'5d0c'.*\(NOT_FOUND\)/ },
    { args: ['sessions', 'verify'], says: sessionMessages.nameToVerify },
    { args: ['sessions', 'import', 'nowhere.jsonl'], says: 'nowhere.jsonl' },
  ])('refuse $args with a reason, and create nothing', async ({ args, says }) => {
    const { code, out, err } = await cli.run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(says);
    expect(err).not.toContain('    at ');
    expect(cli.host.state.isMade()).toBe(false);
  });

  test('report an error as JSON with --json', async () => {
    const { err } = await cli.run(['sessions', 'show', '5d0c', '--json']);
    expect(jsonOf('error', err)).toEqual({
      error: { code: 'NOT_FOUND', message: sessionMessages.none('5d0c', cli.state) },
    });
  });

  test('report a state directory that is not a directory', async () => {
    await writeFile(join(cli.root, 'file'), 'in the way');
    await atFetch(cli);
    const exported = (await cli.run(['sessions', 'export', await onlySid()])).out;
    const { code, err } = await cli.run(['sessions', 'import', '-', '--state', 'file'], { input: exported });
    expect(code).toBe(2);
    expect(err).toContain('KEYS_UNUSABLE');
    expect(err).not.toContain('    at ');
  });

  test('can read a state directory without write permission, and report it if they have to write', async (context) => {
    const { sid } = await atFetch(cli);
    await cli.host.close();
    const other = { uid: 65_534, gid: 65_534 };
    const user = process.getuid?.() === 0 ? other : {};
    if (user === other) {
      await chmod(cli.root, 0o755);
      for (const file of await readdir(cli.state, { recursive: true }))
        await chown(join(cli.state, file), other.uid, other.gid);
      await chown(cli.state, other.uid, other.gid);
      const { code } = await cli.run(['--version'], user).catch(() => ({ code: 1 }));
      if (code !== 0) return context.skip('another user cannot read this checkout');
    }
    await chmod(join(cli.state, 'sessions.db'), 0o400);
    await chmod(cli.state, 0o500);
    expect((await cli.run(['sessions', 'show', sid], user)).out).toContain(sessionTexts.chainWhole(2));
    const refused = await cli.run(['sessions', 'abandon', sid, '--yes'], user);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(sqliteFailures['read-only'].problem);
    expect(refused.err.trim().split('\n')).toHaveLength(1);
    await chmod(cli.state, 0o000);
    const hidden = await cli.run(['sessions', 'list'], user);
    await chmod(cli.state, 0o700);
    expect({ code: hidden.code, out: hidden.out }).toEqual({ code: 2, out: '' });
  });

  test('exit quietly when their output is closed', async () => {
    for (let at = 0; at < 3; at += 1) await atCheckpoint(cli);
    const started = cli.start(['sessions', 'list', '--json']);
    started.child.stdout?.destroy();
    const { code, err } = await started.ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});

async function onlySid(): Promise<string> {
  const { sessions } = await cli.host.operator.find({});
  return sessions[0]?.sid ?? '';
}

describe('sessions list', () => {
  test('reports that there are no sessions', async () => {
    const { code, out } = await cli.run(['sessions', 'list']);
    expect({ code, out: cli.mask(out) }).toEqual({
      code: 0,
      out: `${sessionMessages.noneListed('ROOT/state', false)}\n`,
    });
  });

  test('shows sessions in pages, the newest first', async () => {
    const first = await atCheckpoint(cli);
    const second = await atFetch(cli);
    const { out } = await cli.run(['sessions', 'list']);
    expect(cli.mask(out)).toMatchInlineSnapshot(`
      "SESSION               STATUS   OUTCOME  CHANGED (UTC)        TITLE  WORKFLOW  AGENT  FOLDER
      SID  active            TIME         errands   baker  ROOT
      SID  blocked           TIME         errands   baker  ROOT
      "
    `);
    const newest = await cli.run(['sessions', 'list', '--limit', '1', '--json']);
    const page = jsonOf('sessions-list', newest.out) as { readonly sessions: object; readonly next: string };
    expect(page.sessions).toMatchObject([{ sid: second.sid, status: 'active' }]);
    const rest = await cli.run(['sessions', 'list', '--limit', '1', '--cursor', page.next, '--json']);
    expect(jsonOf('sessions-list', rest.out)).toMatchObject({
      sessions: [{ sid: first.sid, status: 'blocked' }],
    });
    expect(jsonOf('sessions-list', rest.out)).not.toHaveProperty('next');
  });

  test.each([
    { filter: ['--status', 'blocked'], found: 1 },
    { filter: ['--status', 'blocked', '--status', 'active'], found: 2 },
    { filter: ['--workflow', 'other'], found: 0 },
    { filter: ['--agent', 'baker'], found: 2 },
    { filter: ['--project', '.'], found: 2 },
    { filter: ['--project', '..'], found: 0 },
    { filter: ['--text', 'ERRAND'], found: 2 },
    { filter: ['--newer', '1h'], found: 2 },
    { filter: ['--newer', '2020-01-01'], found: 2 },
    { filter: ['--newer', '2999-01-01'], found: 0 },
    { filter: ['--older', '1h'], found: 0 },
    { filter: ['--older', '2999-01-01'], found: 2 },
  ])('filters by $filter', async ({ filter, found }) => {
    await atCheckpoint(cli);
    await atFetch(cli);
    const { out } = await cli.run(['sessions', 'list', '--json', ...filter]);
    expect(jsonOf('sessions-list', out)).toHaveProperty('sessions.length', found);
  });
});

describe('sessions show', () => {
  test('compares the plan with what happened, and shows refusals, answers and changes', async () => {
    const { sid, token } = await atCheckpoint(cli);
    await cli.host.sessions.move(token, {}).catch(() => undefined);
    await cli.host.operator.respond(sid, { mode: { kind: 'option', option: 'yes' }, note: 'Oven is hot' });
    const { token: after } = await cli.host.sessions.resume(token);
    await cli.host.sessions.move(after, { manifest: fetchManifest });
    await cli.host.close();
    const { code, out } = await cli.run(['sessions', 'show', sid.slice(0, 10)]);
    expect(code).toBe(0);
    expect(cli.mask(out)).toMatchInlineSnapshot(`
      "Errands  session SID
      errands 1.0.0, advisory: active at 'bake'
      started TIME by baker in ROOT; last changed TIME (UTC)

      Plan
        done     fetch  Fetch what is needed
        skipped  rest   Rest
        current  bake   Bake

      Outputs
        fetch, buy: event 5, TIME
        | A sack
        fetch, ask: event 5, TIME
        | Asked

      Checkpoints
        TIME  bake-now of fetch  yes by ana after N s through command-line, from an account: Oven is hot

      Refused
        TIME  baker  move  CHECKPOINT_OPEN: Checkpoint 'bake-now' is waiting for an answer, and the session can't continue without one.

      Who
        baker      agent  6 calls  1 refused
        human:ana  human  1 call

      Variables
        hot  unset → true  set by the answer to bake-now of ana at event 4

      The chain of its 5 events is whole.
      "
    `);
    const history = jsonOf('sessions-show', (await cli.run(['sessions', 'show', sid, '--json'])).out);
    expect(history).toMatchObject({
      session: { sid, workflowId: 'errands' },
      plan: [{ status: 'done' }, { status: 'skipped' }, { status: 'current' }],
      checkpoints: [
        { checkpoint: 'bake-now', answered: { by: 'human', person: 'ana', note: 'Oven is hot' } },
      ],
      refusals: [{ name: 'move', err: expect.stringContaining('CHECKPOINT_OPEN') }],
      variables: [{ name: 'hot', to: true }],
      chain: { ok: true, events: 5 },
    });
  });

  test('names the activities that depend on the open checkpoint, and shows the checkpoint', async () => {
    const { sid } = await atCheckpoint(cli);
    const history = jsonOf('sessions-show', (await cli.run(['sessions', 'show', sid, '--json'])).out);
    expect(history).toMatchObject({
      plan: [
        { id: 'fetch', status: 'current' },
        { id: 'rest', status: 'depends', why: expect.stringContaining("'bake-now'") },
        { id: 'bake', status: 'ahead' },
      ],
      question: { sid, checkpoint: { id: 'bake-now' } },
    });
    const { out } = await cli.run(['sessions', 'show', sid]);
    expect(out).toMatch(new RegExp(`${sessionTexts.dependsOnAnswer} +rest`));
    expect(out).not.toContain('skipped');
    expect(out).toContain('There is rye.');
  });

  test('shows the warnings with their moves, and the outputs', async () => {
    const { sid, token } = await atFetch(cli);
    await cli.host.sessions.move(token, {
      activityId: 'rest',
      manifest: [{ step_id: 'buy', output: 'A sack' }],
    });
    const { out, code } = await cli.run(['sessions', 'show', sid, '--json']);
    expect(code).toBe(0);
    const { moves, outputs } = jsonOf('sessions-show', out) as {
      moves: readonly { from?: string; to?: string; warnings?: readonly string[] }[];
      outputs: readonly object[];
    };
    expect(outputs).toMatchObject([{ activity: 'fetch', step: 'buy', output: 'A sack' }]);
    const [warned] = moves.filter(({ warnings }) => warnings !== undefined);
    expect(warned).toMatchObject({ from: 'fetch', to: 'rest' });
    const { out: text } = await cli.run(['sessions', 'show', sid]);
    expect(text).toContain(`fetch → rest: ${warned?.warnings?.[0]}`);
  });

  test('names the parent session and the child sessions', async () => {
    const parent = await atFetch(cli);
    const { token, value } = await cli.host.sessions.start({
      agentId: 'mate',
      workflowId: 'errands',
      parentToken: parent.token,
    });
    await cli.host.sessions.move(token, {});
    const child = jsonOf('sessions-show', (await cli.run(['sessions', 'show', value.sid, '--json'])).out);
    expect(child).toMatchObject({ parent: { sid: parent.sid, workflowId: 'errands' } });
    const above = jsonOf('sessions-show', (await cli.run(['sessions', 'show', parent.sid, '--json'])).out);
    expect(above).toMatchObject({ children: [{ sid: value.sid, status: 'active' }] });
  });

  test('escapes control characters in texts of an agent', async () => {
    const { sid, token } = await atFetch(cli);
    await cli.host.sessions.move(token, { variables: { flour: '\u001B[2J\u202Egone' } });
    const { out } = await cli.run(['sessions', 'show', sid]);
    expect(out).toContain(String.raw`\u001b[2J\u{202e}gone`);
    for (const char of ['\u001B', '\u202E']) expect(out).not.toContain(char);
  });
});

function typeOf(line: string): string {
  const { event } = jsonOf('sessions-follow', line) as { readonly event: { readonly type: string } };
  return event.type;
}

describe('sessions follow', () => {
  test('prints events, and ends with the session', async () => {
    const { sid, token } = await atCheckpoint(cli);
    const following = cli.start(['sessions', 'follow', sid, '--every', '50']);
    await eventually(
      async () => following.out(),
      (out) => out.includes('bake-now'),
    );
    await cli.host.operator.respond(sid, { mode: { kind: 'option', option: 'yes' } });
    const { token: after } = await cli.host.sessions.resume(token);
    const { token: baking } = await cli.host.sessions.move(after, { manifest: fetchManifest });
    await cli.host.sessions.move(baking, {});
    const { code, out } = await following.ended;
    expect(code).toBe(0);
    expect(cli.mask(out)).toMatchInlineSnapshot(`
      "TIME    1  started on errands 1.0.0
      TIME    2  entered fetch
      TIME    3  stopped at checkpoint bake-now
      TIME    4  checkpoint bake-now answered yes by ana
      TIME    5  entered bake after fetch (buy, ask)
      TIME    6  completed after bake
            warning: No manifest was submitted for activity 'bake'. Submit the outputs of its required steps, in order: knead.
      "
    `);
    const again = await cli.run(['sessions', 'follow', sid, '--json']);
    expect(again.out.trim().split('\n').map(typeOf)).toEqual([
      'session-started',
      'activity-entered',
      'checkpoint-yielded',
      'checkpoint-answered',
      'activity-entered',
      'session-completed',
    ]);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('ends with %s', async (signal) => {
    const { sid } = await atFetch(cli);
    const following = cli.start(['sessions', 'follow', sid, '--json']);
    await eventually(
      async () => following.out(),
      (out) => out.includes('activity-entered'),
    );
    following.child.kill(signal);
    const { code, out } = await following.ended;
    expect(code).toBe(0);
    const lines = out.trim().split('\n');
    expect(lines.map((line) => typeOf(line))).toEqual(['session-started', 'activity-entered']);
  });
});
