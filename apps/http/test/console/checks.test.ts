import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ChecksReview, ProjectChecksList } from '@workflowlookup/console/contract';
import { createHost } from '@workflowlookup/host';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TestService } from '../support/service.ts';
import { openServiceWith } from '../support/service.ts';
import type { Browser } from '../support/browser.ts';
import { openKeyBrowser, openLocalBrowser } from '../support/browser.ts';

const file = '.workflowlookup/checks.yaml';
let root = '';
let project = '';
let audit: string[] = [];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'workflowlookup-checks-')));
  project = join(root, 'project');
  audit = [];
  write(file, 'checks: {test: {run: CANARY test, timeout: 90s, also_trust: [.npmrc]}}\n');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string, folder = project): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function open(flags: readonly string[] = [], host: object = {}): TestService {
  return openServiceWith({ host: { workingDirectory: project, ...host }, audit }, ...flags);
}

const listOf = (browser: Browser): Promise<ProjectChecksList> => browser.read('/checks');

const reviewPath = (folder: string): string => `/checks/review?folder=${encodeURIComponent(folder)}`;

const reviewOf = (browser: Browser, folder = project): Promise<ChecksReview> =>
  browser.read(reviewPath(folder));

const audited = (): readonly Readonly<Record<string, string>>[] =>
  readFileSync(audit[0] ?? '', 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, string>>)
    .filter(({ action }) => action === 'trust' || action === 'distrust');

test('The local user can read the checks, trust that version, and withdraw the trust', async () => {
  const service = open();
  const browser = await openLocalBrowser(service);
  expect(await listOf(browser)).toEqual({
    runsChecks: true,
    folder: project,
    mayTrust: true,
    projects: [{ folder: project, state: 'untrusted', sessions: 0 }],
  });
  const review = await reviewOf(browser);
  expect(review).toMatchObject({
    folder: project,
    state: 'untrusted',
    checks: [{ name: 'test', command: 'CANARY test', usesShell: true, timeout: '90s', reports: [], env: [] }],
    hidden: [],
    files: [{ file }, { file: '.npmrc' }],
  });
  const given = await browser.send('POST', '/checks/trust', { folder: project, digest: review.digest });
  expect([given.status, await given.json()]).toEqual([200, { folder: project, state: 'trusted' }]);
  // Another process on the same state, such as a server over stdio, now runs them.
  const other = createHost({ stateDirectory: service.state, workingDirectory: project });
  expect(await other.checks.review(project)).toMatchObject({ state: 'trusted' });
  await other.close();
  expect((await listOf(browser)).projects).toMatchObject([
    { state: 'trusted', trusted: { by: expect.any(String) } },
  ]);

  const taken = await browser.send('POST', '/checks/distrust', { folder: project });
  expect(await taken.json()).toEqual({ folder: project, state: 'untrusted' });
  expect((await listOf(browser)).projects).toMatchObject([{ state: 'untrusted' }]);
  const target = join(project, file);
  const who = { outcome: 'done', channel: 'console', target };
  expect(audited()).toMatchObject([
    { action: 'trust', ...who },
    { action: 'distrust', ...who },
  ]);
});

test('A file that changed after it was shown is not trusted, and the next review shows the change', async () => {
  const browser = await openLocalBrowser(open());
  const { digest } = await reviewOf(browser);
  expect((await browser.send('POST', '/checks/trust', { folder: project, digest })).status).toBe(200);
  const seen = await reviewOf(browser);
  write('.npmrc', 'script-shell=./evil\u{200B}\n');
  const swapped = await browser.send('POST', '/checks/trust', { folder: project, digest: seen.digest });
  expect([swapped.status, await swapped.json()]).toMatchObject([409, { code: 'CONFLICT' }]);
  expect(await reviewOf(browser)).toMatchObject({
    state: 'changed',
    hidden: [{ file: '.npmrc', line: 1 }],
    files: [{ file }, { file: '.npmrc', text: 'script-shell=./evil\\u{200b}\n', before: '(no such file)' }],
  });
});

test('A file with an error is shown and cannot be trusted', async () => {
  write(file, 'checks: {test: {}}\n');
  const browser = await openLocalBrowser(open());
  const { digest, problem, checks } = await reviewOf(browser);
  expect([problem !== undefined, checks]).toEqual([true, []]);
  const refused = await browser.send('POST', '/checks/trust', { folder: project, digest });
  expect(await refused.json()).toMatchObject({ code: 'INVALID_FILE' });
  expect((await listOf(browser)).projects).toMatchObject([{ state: 'untrusted' }]);
});

test('The list includes projects of sessions from other servers on this machine', async () => {
  const service = open();
  const elsewhere = join(root, 'elsewhere');
  write(file, 'checks: {}\n', elsewhere);
  const other = createHost({
    stateDirectory: service.state,
    workingDirectory: elsewhere,
    includeUser: false,
    evidence: true,
  });
  await other.sessions.start({ agentId: 'agent', workflowId: 'change-review' });
  await other.close();
  const browser = await openLocalBrowser(service);
  expect((await listOf(browser)).projects).toEqual([
    { folder: project, state: 'untrusted', sessions: 0 },
    { folder: elsewhere, state: 'untrusted', sessions: 1 },
  ]);
  const { digest } = await reviewOf(browser, elsewhere);
  await browser.send('POST', '/checks/trust', { folder: elsewhere, digest });
  rmSync(join(elsewhere, file));
  expect((await listOf(browser)).projects).toMatchObject([
    { folder: project, state: 'untrusted' },
    { folder: elsewhere, state: 'missing', sessions: 1 },
  ]);
  expect((await browser.send('POST', '/checks/distrust', { folder: elsewhere })).status).toBe(200);
  expect((await listOf(browser)).projects).toHaveLength(1);
});

test('A folder that is not in the list is not read', async () => {
  const browser = await openLocalBrowser(open());
  const secret = join(root, 'secret');
  write(file, 'checks: {}\n', secret);
  const answers = [
    await browser.get(reviewPath(secret)),
    await browser.get(reviewPath(`${project}/../secret`)),
    await browser.send('POST', '/checks/trust', { folder: secret, digest: 'sha256:0' }),
    await browser.send('POST', '/checks/distrust', { folder: secret }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect((await browser.send('POST', '/checks/trust', { folder: project })).status).toBe(400);
});

/** Returns the responses of all routes for checks. */
async function attempts(browser: Browser): Promise<readonly Response[]> {
  return [
    await browser.get('/checks'),
    await browser.get(reviewPath(project)),
    await browser.send('POST', '/checks/trust', { folder: project, digest: 'sha256:0' }),
    await browser.send('POST', '/checks/distrust', { folder: project }),
  ];
}

test.each([
  ['of an agent', ['read', 'write']],
  ['of a person who answers', ['read', 'checkpoints:respond']],
] as const)('A credential %s cannot read or trust the checks', async (_, scopes) => {
  // A program can collect evidence on a server with sign-in.
  const service = open(['--auth', 'keys'], { evidence: true });
  const browser = await openKeyBrowser(service, await service.key({ principal: 'team', scopes }));
  const answers = await attempts(browser);
  expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 403]);
  expect(await answers[0]?.clone().json()).toEqual({ runsChecks: true, mayTrust: false, projects: [] });
  for (const answer of answers) expect(await answer.text()).not.toMatch(/CANARY|project\b.*checks\.yaml/);
  expect(audited()).toMatchObject([
    { action: 'trust', outcome: 'refused', code: 'FORBIDDEN' },
    { action: 'distrust', outcome: 'refused', code: 'FORBIDDEN' },
  ]);
});

test('A person with both scopes decides only about the folder of the server', async () => {
  const service = open(['--auth', 'keys'], { evidence: true });
  const elsewhere = join(root, 'elsewhere');
  write(file, 'checks: {}\n', elsewhere);
  const other = createHost({
    stateDirectory: service.state,
    workingDirectory: elsewhere,
    includeUser: false,
  });
  await other.sessions.start({ agentId: 'agent', workflowId: 'change-review' });
  await other.close();
  const scopes = ['read', 'write', 'checkpoints:respond'] as const;
  const browser = await openKeyBrowser(service, await service.key({ principal: 'team', scopes }));
  expect((await listOf(browser)).projects).toMatchObject([{ folder: project }]);
  expect((await browser.get(reviewPath(elsewhere))).status).toBe(404);
  const { digest } = await reviewOf(browser);
  expect((await browser.send('POST', '/checks/trust', { folder: project, digest })).status).toBe(200);
});

test('A server that runs no checks allows nobody to trust them', async () => {
  const service = open(['--auth', 'keys']);
  const scopes = ['read', 'write', 'checkpoints:respond'] as const;
  const browser = await openKeyBrowser(service, await service.key({ principal: 'team', scopes }));
  const answers = await attempts(browser);
  expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 403]);
  expect(await answers[0]?.json()).toEqual({ runsChecks: false, mayTrust: false, projects: [] });
});

test('A request without a credential is refused', async () => {
  const { fetch } = open();
  for (const path of ['/checks', reviewPath(project)])
    expect((await fetch(`/console/api${path}`)).status).toBe(401);
});
