import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startCli } from '../support/cli-process.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 120_000);

afterAll(() => removeApp(entry));

type Json = Readonly<Record<string, unknown>>;

async function openProject() {
  const root = await mkdtemp(join(tmpdir(), 'workflowlookup-install-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  await mkdir(home);
  await mkdir(project);
  const hooks = async (...args: readonly string[]): Promise<{ code: unknown; reply: Json; err: string }> => {
    const env = { HOME: home };
    const { code, out, err } = await startCli(['hooks', ...args, '--json'], { entry, cwd: project, env })
      .ended;
    return { code, reply: out === '' ? {} : (jsonOf(`hooks-${args[0]}`, out) as Json), err };
  };
  return { home, project, hooks };
}

/** The hooks file of a client according to its documentation. */
interface Documented {
  readonly file: readonly string[];
  readonly events: readonly string[];
  /** Returns the command of an entry in the list of an event. */
  commandOf(entry: Json): unknown;
}

const documented: Readonly<Record<'cursor' | 'copilot', Documented>> = {
  cursor: {
    file: ['.cursor', 'hooks.json'],
    events: ['sessionStart', 'beforeSubmitPrompt', 'preToolUse', 'postToolUse', 'stop', 'subagentStop'],
    commandOf: ({ command }) => command,
  },
  copilot: {
    file: ['.github', 'hooks', 'workflowlookup.json'],
    events: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SubagentStop'],
    commandOf: ({ type, bash, powershell, timeoutSec }) =>
      type === 'command' && bash === powershell && timeoutSec === 10 ? bash : undefined,
  },
};

describe.each(['cursor', 'copilot'] as const)('the hooks of %s', (client) => {
  const { file: path, events, commandOf } = documented[client];

  test('are written to the documented file, run, are listed, and can be removed', async () => {
    const { project, hooks } = await openProject();
    const file = join(project, ...path);
    const refused = await hooks('install', client);
    expect(refused.code).toBe(2);
    expect(existsSync(file)).toBe(false);
    const created = { client, scope: 'project', file, outcome: 'created' };
    expect(await hooks('install', client, '--yes')).toMatchObject({ code: 0, reply: created });
    const written = JSON.parse(await readFile(file, 'utf8')) as {
      version: number;
      hooks: Record<string, Json[]>;
    };
    expect(written.version).toBe(1);
    expect(Object.keys(written.hooks)).toEqual(events);
    for (const event of events) {
      const command = commandOf(written.hooks[event]?.[0] ?? {});
      expect(command).toEqual(expect.stringContaining(`hook --client ${client}`));
      const input = JSON.stringify({ hook_event_name: event, session_id: 'c1', cwd: project });
      const options = { input, shell: true, env: { HOME: project, PATH: process.env['PATH'] } };
      expect(execFileSync(String(command), { ...options, encoding: 'utf8' })).toBe('');
    }
    expect(await hooks('install', client, '--yes')).toMatchObject({ reply: { outcome: 'unchanged' } });
    const { reply: status } = await hooks('status');
    expect(status['installed']).toMatchObject([{ client, scope: 'project', file }]);
    expect(await hooks('remove', client, '--yes')).toMatchObject({
      code: 0,
      reply: { outcome: 'removed' },
    });
    // Only the state directory of the hooks that ran is left.
    expect(await readdir(project)).toEqual(['.workflowlookup']);
    expect((await hooks('status')).reply['installed']).toEqual([]);
    expect(await hooks('remove', client, '--yes')).toMatchObject({ reply: { outcome: 'unchanged' } });
  }, 60_000);
});

test('The hooks of the user are in the home folder for Cursor, and Copilot CLI documents no such file', async () => {
  const { home, hooks } = await openProject();
  const file = join(home, '.cursor', 'hooks.json');
  const { reply } = await hooks('install', 'cursor', '--user', '--yes');
  expect(reply).toMatchObject({ scope: 'user', file, outcome: 'created' });
  const { reply: status } = await hooks('status');
  expect(status['installed']).toMatchObject([{ client: 'cursor', scope: 'user', file }]);
  expect((await hooks('remove', 'cursor', '--user', '--yes')).code).toBe(0);
  expect((await hooks('status')).reply['installed']).toEqual([]);
  const { code, err } = await hooks('install', 'copilot', '--user', '--yes');
  expect(code).toBe(2);
  expect(JSON.parse(err)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
}, 30_000);

test('Other hooks of Cursor and other files of Copilot CLI are kept', async () => {
  const { project, hooks } = await openProject();
  const theirs = { command: './format.sh' };
  const cursor = join(project, '.cursor', 'hooks.json');
  const copilot = join(project, '.github', 'hooks', 'theirs.json');
  const text = `${JSON.stringify({ version: 1, hooks: { stop: [theirs] } }, undefined, 2)}\n`;
  for (const file of [cursor, copilot]) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  for (const client of ['cursor', 'copilot']) await hooks('install', client, '--yes');
  const { hooks: both } = JSON.parse(await readFile(cursor, 'utf8')) as { hooks: Record<string, Json[]> };
  expect(both['stop']).toEqual([theirs, expect.anything()]);
  expect((await hooks('status')).reply['installed']).toHaveLength(2);
  for (const client of ['cursor', 'copilot']) await hooks('remove', client, '--yes');
  expect(JSON.parse(await readFile(cursor, 'utf8'))).toEqual(JSON.parse(text));
  expect(await readFile(copilot, 'utf8')).toBe(text);
  expect(existsSync(join(project, '.github', 'hooks', 'workflowlookup.json'))).toBe(false);
}, 60_000);

test('A file with other content is kept when the hooks are removed, and so is a file outside the project', async () => {
  const { home, project, hooks } = await openProject();
  const file = join(project, '.claude', 'settings.json');
  await mkdir(dirname(file));
  await writeFile(file, '{\n  "model": "opus"\n}\n');
  await hooks('install', 'claude-code', '--yes');
  expect(await hooks('remove', 'claude-code', '--yes')).toMatchObject({ reply: { outcome: 'changed' } });
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ model: 'opus' });
  await mkdir(join(home, 'plugins'));
  await mkdir(join(project, '.opencode'));
  await symlink(join(home, 'plugins'), join(project, '.opencode', 'plugins'));
  const theirs = join(home, 'plugins', 'workflowlookup.js');
  await writeFile(theirs, 'theirs');
  const { code, err } = await hooks('remove', 'opencode', '--yes');
  expect(code).toBe(2);
  expect(JSON.parse(err)).toMatchObject({ error: { code: 'UNSAFE_FILE' } });
  expect(await readFile(theirs, 'utf8')).toBe('theirs');
}, 30_000);

test('The status shows when a client last began a session, and counts every rule', async () => {
  const { home, project, hooks } = await openProject();
  await hooks('install', 'claude-code', '--yes');
  const before = (await hooks('status')).reply['installed'] as readonly Json[];
  expect(before).toHaveLength(1);
  expect(before[0]).not.toHaveProperty('lastRun');
  const input = JSON.stringify({ hook_event_name: 'SessionStart', source: 'startup', session_id: 'c1' });
  const { ended } = startCli(['hook', '--client', 'claude-code'], {
    entry,
    cwd: project,
    env: { HOME: home },
    input,
  });
  await ended;
  const act = { at: new Date().toISOString(), client: 'claude-code', rule: 'observe', act: 'observed' };
  const folder = join(home, '.workflowlookup', 'state', 'hooks');
  await writeFile(join(folder, 'acts.jsonl'), `${JSON.stringify(act)}\n`);
  expect((await hooks('status')).reply).toMatchObject({
    installed: [{ client: 'claude-code', lastRun: expect.any(String) }],
    acts: [{ rule: 'observe', act: 'observed', count: 1 }],
  });
}, 30_000);
