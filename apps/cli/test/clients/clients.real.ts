import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProjectChecks } from '@workflowlookup/evidence';
import { createHost } from '@workflowlookup/host';
import type { SessionRow } from '@workflowlookup/core/operator';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildCli, removeApp } from '../support/test-cli.ts';
import type { Place, RealClient } from './client-runs.ts';
import {
  claudeCode,
  claudePlugin,
  codex,
  gemini,
  installHooks,
  opencode,
  openPlace,
  runClient,
  typeInto,
} from './client-runs.ts';
import { installClients } from './installed-clients.ts';
import type { ScriptedModel, Turn } from './scripted-model.ts';
import { startModel } from './scripted-model.ts';

let entry: string;
let packages: string;

beforeAll(async () => {
  packages = installClients();
  entry = await buildCli();
}, 900_000);

afterAll(async () => {
  await removeApp(entry);
});

interface Opened {
  readonly place: Place;
  readonly model: ScriptedModel;
  /** Returns the sessions in the database. */
  sessions(): Promise<readonly SessionRow[]>;
  /** Returns what the hooks did, in order. */
  acts(): readonly string[];
}

async function open(
  client: RealClient,
  script: readonly Turn[],
  { policy = '', hooks = true, name }: { policy?: string; hooks?: boolean; name?: string } = {},
): Promise<Opened> {
  const model = await startModel(script);
  const place = openPlace(entry, packages, { model, name });
  onTestFinished(() => {
    model.close();
    if (process.env['KEEP_CLIENTS'] === undefined) place.close();
  });
  client.configure(place);
  if (hooks) installHooks(entry, client, place);
  if (policy !== '') {
    mkdirSync(join(place.project, '.workflowlookup'));
    writeFileSync(join(place.project, '.workflowlookup', 'policy.yaml'), policy);
  }
  return {
    place,
    model,
    async sessions() {
      const host = createHost({ stateDirectory: place.state });
      try {
        return (await host.operator.find({})).sessions;
      } finally {
        await host.close();
      }
    },
    acts() {
      const file = join(place.state, 'hooks', 'acts.jsonl');
      const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
      return lines.map((line) => (JSON.parse(line) as { readonly act: string }).act);
    },
  };
}

const done: Turn = { text: 'I am done.' };

function start({ mcp }: RealClient, server = 'workflowlookup'): Turn {
  return {
    call: mcp(server, 'start_session', { agent_id: 'a', workflow_id: 'change', include_activity: true }),
  };
}

const tried = [claudeCode, codex, gemini, opencode];

describe.each(tried)('$id', (client) => {
  test('is blocked with the next call when it stops in the middle, and after two blocks the session is parked', async () => {
    const { place, model, sessions, acts } = await open(client, [start(client), done, done, done, done]);
    const output = await runClient(client, place);
    expect(acts(), output).toEqual(['bound', 'blocked', 'blocked', 'parked']);
    expect(model.requests).toHaveLength(4);
    expect(model.requests[2]).toContain('is not finished. Next call: next_activity');
    expect(await sessions()).toMatchObject([{ status: 'parked' }]);
  });

  test('may stop when the session is completed', async () => {
    const move = (step: string): Turn => ({
      call: client.mcp('workflowlookup', 'next_activity', {
        session_token: '$TOKEN',
        step_manifest: [{ step_id: step, output: 'Done' }],
      }),
    });
    const script = [start(client), move('look-at-it'), move('change-it'), done, done];
    const { place, model, sessions, acts } = await open(client, script);
    const output = await runClient(client, place);
    expect(await sessions(), output).toMatchObject([{ status: 'completed' }]);
    expect(acts()).toEqual(['bound']);
    expect(model.requests).toHaveLength(4);
  });
});

describe.each(tried)('$id', (client) => {
  const file = (place: Place, name: string): boolean => existsSync(join(place.project, name));

  test('cannot edit in an activity that does not allow it, through its tool or the shell', async () => {
    const model: Turn[] = [];
    const opened = await open(client, model, { policy: 'stop: free\n' });
    const { place, acts } = opened;
    model.push(
      start(client),
      { call: client.write(join(place.project, 'tool.txt')) },
      { call: client.shell('echo text > shell.txt') },
      { call: client.shell('echo read') },
      done,
    );
    const output = await runClient(client, place);
    expect(acts(), output).toEqual(['bound', 'denied', 'denied']);
    expect([file(place, 'tool.txt'), file(place, 'shell.txt')]).toEqual([false, false]);
    expect(opened.model.requests.at(2)).toContain('does not allow editing files');
    expect(opened.model.requests.at(4)).toContain('read');
  });

  test('cannot edit without a session if the policy requires one', async () => {
    const model: Turn[] = [];
    const { place, acts } = await open(client, model, { policy: 'require_session: [edit]\nstop: free\n' });
    model.push(
      { call: client.write(join(place.project, 'tool.txt')) },
      { call: client.shell('touch shell.txt') },
      done,
    );
    const output = await runClient(client, place);
    expect(acts(), output).toEqual(['denied', 'denied']);
    expect([file(place, 'tool.txt'), file(place, 'shell.txt')]).toEqual([false, false]);
  });

  test('cannot write through another MCP server either, and is bound whatever the server is called', async () => {
    const model: Turn[] = [];
    const policy = 'require_session: [edit]\nstop: free\n';
    const { place, acts } = await open(client, model, { policy, name: 'flows' });
    const write = { call: client.mcp('files', 'write_file', { path: join(place.project, 'mcp.txt') }) };
    model.push(write, start(client, 'flows'), done);
    const output = await runClient(client, place);
    expect(acts(), output).toEqual(['denied', 'bound']);
    expect(file(place, 'mcp.txt')).toBe(false);
  });

  test('does not disturb another session of itself in the same folder', async () => {
    const model: Turn[] = [start(client), done, done, done, done, done];
    const { place, acts } = await open(client, model, { policy: 'stop: free\n' });
    await runClient(client, place);
    writeFileSync(join(place.project, '.workflowlookup', 'policy.yaml'), 'stop: finish\n');
    const output = await runClient(client, place);
    expect(acts(), output).toEqual(['bound']);
  });

  test.each([
    { how: 'without hooks', hooks: false },
    { how: 'with a broken database', hooks: true },
  ])('works on $how', async ({ hooks }) => {
    const { place } = await open(client, [{ call: client.shell('touch works.txt') }, done], { hooks });
    mkdirSync(place.state, { recursive: true });
    writeFileSync(join(place.state, 'sessions.db'), 'not a database');
    const output = await runClient(client, place);
    expect(file(place, 'works.txt'), output).toBe(true);
  });
});

describe.each(tried)('$id', (client) => {
  test('gets the packet in its next request when it resumes', async () => {
    const { place, model, sessions } = await open(client, [start(client), done, done, done], {
      policy: 'stop: free\n',
    });
    await runClient(client, place);
    const before = model.requests.length;
    const output = await runClient(client, place, { resume: true, prompt: 'Go on' });
    const [session] = await sessions();
    expect(model.requests[before], output).toContain(packet);
    expect(model.requests[before]).toContain(`Session: ${session?.sid ?? 'none'}`);
  });
});

const packet = 'You are in the middle of a workflow session';

describe('a compaction', () => {
  test('of Claude Code: the packet is in the next request', async () => {
    const script = [start(claudeCode), done, done, done, done];
    const { place, model, acts } = await open(claudeCode, script, { policy: 'stop: free\n' });
    await runClient(claudeCode, place);
    const output = await runClient(claudeCode, place, { resume: true, prompt: '/compact' });
    const before = model.requests.length;
    await runClient(claudeCode, place, { resume: true, prompt: 'Go on' });
    expect(acts().filter((act) => act === 'packet').length, output).toBeGreaterThanOrEqual(2);
    expect(model.requests[before]).toContain(packet);
  });

  test.each([codex, opencode])('of $id: the packet is in the next request', async (client) => {
    const shell = { call: client.shell('echo read') };
    const script = [start(client), { ...shell, tokens: 2_000_000 }, shell, done];
    const { place, model, acts } = await open(client, script, { policy: 'stop: free\n' });
    const output = await runClient(client, place);
    expect(acts(), output).toEqual(['bound', 'packet']);
    expect(model.requests.findIndex((request) => request.includes(packet))).toBe(2);
  });

  test('of Gemini CLI: the packet is in the next request', async () => {
    const shell = { call: gemini.shell('echo read') };
    const script = [start(gemini), done, { ...done, tokens: 900_000 }, shell, done, done];
    const { place, model, acts } = await open(gemini, script);
    const output = await runClient(gemini, place);
    expect(acts(), output).toEqual(['bound', 'blocked', 'blocked', 'packet', 'parked']);
    expect(model.requests.map((request) => request.includes(packet))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });
});

test('Claude Code gets the packet after /clear', async () => {
  const { place, model, acts } = await open(claudeCode, [start(claudeCode), done, done, done, done, done]);
  const output = await runClient(claudeCode, place, { prompts: ['Do it', '/clear', 'Go on'] });
  const cleared = model.requests.findLast((request) => request.includes('Go on')) ?? '';
  expect(cleared, output).toContain(packet);
  expect(acts(), output).toContain('packet');
});

test('Gemini CLI gets the packet after /clear', async () => {
  const { place, model, acts } = await open(gemini, [start(gemini), done, done], { policy: 'stop: free\n' });
  const isReady = (shown: string): boolean => shown.includes('Type your message');
  const screen = await typeInto(gemini, place, {
    typing: [
      { text: 'Mend the totals', when: isReady },
      { text: '/clear', when: () => model.requests.length >= 2 },
      { text: 'Go on', when: isReady },
    ],
    end: () => model.requests.length >= 3,
  });
  const cleared = model.requests[2] ?? '';
  const found = ['Go on', packet, 'Mend the totals'].filter((text) => cleared.includes(text));
  expect(found, screen.slice(-2000)).toEqual(['Go on', packet]);
  expect(acts()).toEqual(['bound', 'packet']);
});

test('Claude Code is bound by the ids of its calls', async () => {
  const { place, acts } = await open(claudeCode, [start(claudeCode), done], { policy: 'stop: free\n' });
  const output = await runClient(claudeCode, place);
  const call = readFileSync(join(place.state, 'hooks', 'calls.jsonl'), 'utf8');
  expect(JSON.parse(call), output).toMatchObject({
    id: expect.stringMatching(/^toolu_\d+$/),
    tool: 'start_session',
  });
  expect(acts()).toEqual(['bound']);
});

test.each([claudeCode, gemini, opencode])('$id records a check that it saw pass', async (client) => {
  const moved = {
    call: client.mcp('workflowlookup', 'next_activity', {
      session_token: '$TOKEN',
      step_manifest: [{ step_id: 'test-it', output: 'Done' }],
    }),
  };
  const begun = {
    call: client.mcp('workflowlookup', 'start_session', {
      agent_id: 'a',
      workflow_id: 'prove',
      include_activity: true,
    }),
  };
  // The server answers the first move with a newer token, because the hook has written to the session.
  const script = [begun, moved, { call: client.shell('echo tested') }, moved, moved, done];
  const { place, sessions, acts } = await open(client, script, { policy: 'stop: free\n' });
  const { project, state } = place;
  writeFileSync(join(project, '.workflowlookup', 'checks.yaml'), 'checks:\n  test: { run: echo tested }\n');
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-C', project, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'Begin');
  const host = createHost({ stateDirectory: state });
  const checks = await readProjectChecks(project);
  if (checks !== undefined) host.trust.checks.trust(checks, 'ada');
  await host.close();
  const output = await runClient(client, place);
  expect(acts(), output).toEqual(['bound', 'observed']);
  expect(await sessions()).toMatchObject([{ status: 'completed' }]);
});

test('the plugin for Claude Code has a command, tools and hooks that work', async () => {
  const script = [start(claudePlugin), done, done, done];
  const { place, model, sessions, acts } = await open(claudePlugin, script, { hooks: false });
  const output = await runClient(claudePlugin, place, { prompt: '/workflowlookup:workflow Mend it' });
  expect(model.requests[0], output).toContain(
    'Do this task with a workflow of the MCP server workflowlookup: Mend it',
  );
  expect(acts(), output).toEqual(['bound', 'blocked', 'blocked', 'parked']);
  expect(await sessions()).toMatchObject([{ status: 'parked' }]);
});
