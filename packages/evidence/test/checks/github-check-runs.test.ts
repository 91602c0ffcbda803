import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Evidence } from '@workflowlookup/schema';
import { createCollector } from '../../src/index.ts';
import { githubReasons } from '../../src/messages.ts';
import type { Project } from '../support/project.ts';
import { makeProject } from '../support/project.ts';

const token = 'ghp_secret0123456789';
const evidence: Evidence = { id: 'tests', check: 'test', level: 'ci', github: { check: 'ci / test' } };

async function projectAtGitHub(): Promise<Project> {
  const project = makeProject({
    '.workflowlookup/checks.yaml': 'checks: {test: {run: "true"}}\ngithub: {repository: ada/cart}\n',
  });
  await project.trust();
  return project;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server that answers as documented in https://docs.github.com/rest/checks/runs. */
async function serve(answer: Answer): Promise<{ readonly url: string; readonly asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function json(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}

interface Run {
  readonly name?: string;
  readonly head_sha?: string;
  readonly status?: string;
  readonly conclusion?: string | null;
}

function listOf(project: Project, ...runs: readonly Run[]): object {
  const head = project.git('rev-parse', 'HEAD').trim();
  return {
    total_count: runs.length,
    check_runs: runs.map((run, at) => ({
      id: at + 1,
      name: 'ci / test',
      head_sha: head,
      status: 'completed',
      conclusion: 'success',
      html_url: 'https://github.com/ada/cart/runs/1',
      ...run,
    })),
  };
}

async function collect(
  { folder, stateFolder, trusted }: Project,
  url: string,
  { environment = {}, wanted = evidence }: { environment?: Record<string, string>; wanted?: Evidence } = {},
) {
  const collector = createCollector({
    folder,
    stateFolder,
    trust: trusted,
    pollMs: 20,
    environment: { ...process.env, GITHUB_API_URL: url, WORKFLOWLOOKUP_GITHUB_TOKEN: token, ...environment },
  });
  onTestFinished(() => collector.close());
  const answer = await collector.collect({ key: 'tests', evidence: wanted, waitMs: 15_000 });
  const text = JSON.stringify(answer);
  expect(text).not.toContain(token);
  if (!('result' in answer)) throw new Error(text);
  return answer.result;
}

test('A successful check run for the commit has the level ci', async () => {
  const project = await projectAtGitHub();
  const head = project.git('rev-parse', 'HEAD').trim();
  const { url, asked } = await serve((_, response) => json(response, 200, listOf(project, {})));
  expect(await collect(project, url)).toMatchObject({
    level: 'ci',
    outcome: 'passed',
    by: 'github',
    commit: head,
    tree: `commit:${head}`,
  });
  expect(asked).toHaveLength(1);
  expect(asked[0]?.headers.authorization).toBe(`token ${token}`);
  const { pathname, searchParams } = new URL(asked[0]?.url ?? '', url);
  expect(pathname).toBe(`/repos/ada/cart/commits/${head}/check-runs`);
  expect(searchParams.get('check_name')).toBe('ci / test');
});

test('All check runs with the name must have succeeded, on every page', async () => {
  const project = await projectAtGitHub();
  const { url } = await serve((request, response) => {
    const isSecond = request.url?.includes('page=2') === true && !request.url.includes('per_page=2');
    const next = `<http://${request.headers.host ?? ''}${request.url ?? ''}&page=2>; rel="next"`;
    if (isSecond) json(response, 200, listOf(project, { conclusion: 'failure' }));
    else json(response, 200, listOf(project, {}), { link: next });
  });
  const { outcome, reasons } = await collect(project, url);
  expect(outcome).toBe('failed');
  expect(reasons).toEqual([githubReasons.concluded('ci / test', 'failure')]);
});

test.each([
  ['ended with a failure', { conclusion: 'failure' }],
  ['was skipped', { conclusion: 'skipped' }],
  ['was neutral', { conclusion: 'neutral' }],
  ['is about another commit', { head_sha: 'b'.repeat(40) }],
  ['has another name', { name: 'ci / tests' }],
])('A check run that %s is not accepted', async (_, run) => {
  const project = await projectAtGitHub();
  const { url } = await serve((__, response) => json(response, 200, listOf(project, run)));
  expect(await collect(project, url)).toMatchObject({ outcome: 'failed' });
});

test('The server waits for a check run in progress', async () => {
  const project = await projectAtGitHub();
  let count = 0;
  const { url, asked } = await serve((_, response) => {
    count += 1;
    const run = count < 3 ? { status: 'in_progress', conclusion: null } : {};
    json(response, 200, listOf(project, run));
  });
  expect(await collect(project, url)).toMatchObject({ outcome: 'passed' });
  expect(asked).toHaveLength(3);
});

test.each([
  ['a wrong token', 401, {}, githubReasons.tokenRefused],
  ['no access', 404, {}, () => githubReasons.noAccess('ada/cart')],
  ['an unknown commit', 422, {}, (commit: string) => githubReasons.unknownCommit(commit, 'ada/cart')],
  [
    'a rate limit',
    403,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1893456000' },
    () => githubReasons.limited('2030-01-01T00:00:00.000Z'),
  ],
  ['a second rate limit', 429, { 'retry-after': '60' }, () => githubReasons.limited(undefined)],
  ['a failure', 502, {}, () => githubReasons.failed(502)],
])('The error %s is reported without the token', async (_, status, headers, says) => {
  const project = await projectAtGitHub();
  const { url } = await serve((__, response) =>
    json(response, status, { message: `Bad credentials ${token}` }, headers),
  );
  const { outcome, reasons } = await collect(project, url);
  expect(outcome).toBe('failed');
  expect(reasons).toEqual([says(project.git('rev-parse', 'HEAD').trim())]);
});

test('No evidence passes without a token, with an unencrypted address, or without a server at the address', async () => {
  const project = await projectAtGitHub();
  const { url, asked } = await serve((_, response) => json(response, 200, listOf(project, {})));
  const failed = { outcome: 'failed' };
  expect(
    await collect(project, url, { environment: { WORKFLOWLOOKUP_GITHUB_TOKEN: '', GITHUB_TOKEN: '' } }),
  ).toMatchObject(failed);
  expect(await collect(project, 'http://github.example.com')).toMatchObject(failed);
  expect(await collect(project, 'http://127.0.0.1:1')).toMatchObject(failed);
  expect(asked).toHaveLength(0);
});

test('Files that differ from the commit, and untrusted checks, are not accepted', async () => {
  const project = await projectAtGitHub();
  const { url, asked } = await serve((_, response) => json(response, 200, listOf(project, {})));
  project.write('new.txt', '');
  expect(await collect(project, url)).toMatchObject({ outcome: 'failed' });
  project.commit();
  project.write(
    '.workflowlookup/checks.yaml',
    'checks: {test: {run: "true"}}\ngithub: {repository: eve/cart}\n',
  );
  project.commit();
  expect(await collect(project, url)).toMatchObject({ outcome: 'failed' });
  expect(asked).toHaveLength(0);
});

test('Evidence that check runs cannot prove fails', async () => {
  const project = await projectAtGitHub();
  const { url } = await serve((_, response) => json(response, 200, listOf(project, {})));
  expect(await collect(project, url, { wanted: { ...evidence, min: 3 } as Evidence })).toMatchObject({
    outcome: 'failed',
  });
});
