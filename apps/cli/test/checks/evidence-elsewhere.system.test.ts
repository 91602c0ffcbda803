import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost } from '@workflowlookup/host';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../stdio/test/support/server-process.ts';
import type { Ci } from '../../../../packages/evidence/test/support/ci.ts';
import { build, makeCi } from '../../../../packages/evidence/test/support/ci.ts';
import type { GitFolder } from '../../../../packages/evidence/test/support/git-folder.ts';
import { makeGitFolder } from '../../../../packages/evidence/test/support/git-folder.ts';
import type { CliOptions, CliProcess } from '../support/cli-process.ts';
import { jsonOf } from '../support/json-schemas.ts';
import type { TestCli } from '../support/test-cli.ts';
import { buildCli, openTestCli, removeApp } from '../support/test-cli.ts';

let entry: string;
let cli: TestCli;
let ci: Ci;
let project: GitFolder;
/** Functions that close what the test has opened. */
const opened: (() => Promise<void>)[] = [];

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

beforeEach(async () => {
  cli = await openTestCli(entry);
  ci = makeCi();
  project = makeGitFolder();
  project.write('.workflowlookup/checks.yaml', 'checks: {test: {run: test ! -e broken}}\n');
  project.commit();
});

afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
  await cli.dispose();
});

afterAll(() => removeApp(entry));

/**
 * Runs a command in the project with another state directory than the server, as a person or CI does on another
 * machine.
 */
function run(args: readonly string[], more: Partial<CliOptions> = {}): CliProcess['ended'] {
  const env = { WORKFLOWLOOKUP_STATE: join(cli.root, 'own-state'), ...more.env };
  return cli.run(args, { cwd: project.folder, ...more, env });
}

async function keyOf(scope: string): Promise<Record<string, string>> {
  const made = await cli.run(['keys', 'create', '--principal', 'team', '--scope', scope]);
  return { WORKFLOWLOOKUP_API_KEY: made.out.trim() };
}

/** Opens a server with API keys, and starts a session on it. */
async function openServer(): Promise<{
  readonly url: string;
  readonly sid: string;
  status(): Promise<unknown>;
}> {
  const host = createHost({
    definitions: [build],
    includeBundled: false,
    includeUser: false,
    includeProject: false,
    stateDirectory: cli.state,
    homeDirectory: cli.root,
  });
  opened.push(() => host.close());
  const sessions = host.sessionsOf({ principal: 'team', credential: 'key:agent' });
  const started = await sessions.start({ agentId: 'agent', workflowId: 'build-it' });
  const { token } = await sessions.move(started.token, {});
  const flags = ['--port', '0', '--auth', 'keys', '--trusted-key', `ci=${ci.publicFile}`];
  const server = cli.start(['serve', 'http', ...flags, '--no-bundled', '--no-user', '--no-project']);
  opened.push(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
  });
  const url = await eventually(
    async () => server.out().split('\n', 1)[0] ?? '',
    (line) => line.endsWith('/mcp'),
  );
  return {
    url,
    sid: started.value.sid,
    status: async () =>
      (await sessions.status(token)).value.evidence?.map(({ id, status, recorded }) => [
        id,
        status,
        recorded?.result.level,
      ]),
  };
}

test('A person collects the evidence for a session on another machine, once they trust the checks', async () => {
  const { url, sid, status } = await openServer();
  const env = await keyOf('read,checkpoints:respond');
  const verify = (...more: readonly string[]) =>
    run(['verify', '--server', url, '--session', sid, ...more], { env });
  expect(await verify()).toMatchObject({
    code: 1,
    err: expect.stringContaining('(INVALID_STATE)') as string,
  });
  await run(['checks', 'trust'], { inTerminal: true, input: 'y\n' });
  const verified = await verify('--json');
  expect(jsonOf('verify', verified.out)).toMatchObject({
    session: sid,
    activity: 'build',
    evidence: [
      { id: 'seen', status: 'passed' },
      { id: 'vouched', status: 'missing' },
    ],
  });
  expect(verified.code).toBe(1);
  expect(await status()).toEqual([
    ['seen', 'passed', 'observed'],
    ['vouched', 'missing', undefined],
  ]);
});

test('CI attests a check and submits the statement with a read-only key', async () => {
  const { url, sid, status } = await openServer();
  const env = await keyOf('read');
  const server = url.replace('/mcp', '/');
  const attest = ['attest', '--check', 'test', '--key', ci.secretFile, '--session', sid];
  const submitted = await run([...attest, '--server', server, '--out', '../statement.json', '--json'], {
    env,
  });
  expect(jsonOf('attest', submitted.out)).toMatchObject({ check: 'test', passed: true });
  expect(submitted.code).toBe(0);
  expect(await status()).toEqual([
    ['seen', 'passed', 'ci'],
    ['vouched', 'passed', 'ci'],
  ]);
  expect(JSON.parse(readFileSync(join(project.folder, '../statement.json'), 'utf8'))).toMatchObject({
    payloadType: 'application/vnd.in-toto+json',
  });
  const printed = await run(attest);
  expect(JSON.parse(printed.out)).toMatchObject({ payloadType: 'application/vnd.in-toto+json' });
  project.write('broken', '');
  project.commit();
  expect(await run(attest)).toMatchObject({ code: 1, err: expect.stringContaining('exit code 1') as string });
});

test('Wrong addresses, keys and checks are refused before anything runs', async () => {
  const env = { WORKFLOWLOOKUP_API_KEY: 'wlk_x' };
  const verify = (server: string, more = env as Record<string, string>) =>
    run(['verify', '--server', server, '--session', 'x'], { env: more });
  const invalid = { code: 2, err: expect.stringContaining('(INVALID_INPUT)') as string };
  expect(await verify('http://workflows.example.com')).toMatchObject(invalid);
  expect(await verify('file:///etc/passwd')).toMatchObject(invalid);
  expect(await verify('http://127.0.0.1:1')).toMatchObject(invalid);
  expect(await verify('https://workflows.example.com', {})).toMatchObject(invalid);
  const { url } = await openServer();
  expect(await verify(url)).toMatchObject({
    code: 2,
    err: expect.stringContaining('(TOKEN_INVALID)') as string,
  });
  expect(await verify(url, await keyOf('read'))).toMatchObject({
    code: 2,
    err: expect.stringMatching(/'x'.*\(NOT_FOUND\)/) as string,
  });
  const attest = (key: string) => run(['attest', '--check', 'test', '--key', key]);
  expect((await attest(ci.publicFile)).err).toContain('(INVALID_FILE)');
  expect((await attest('/dev/zero')).err).toContain('(INVALID_FILE)');
});
