import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from '@workflowlookup/host';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp, removeApp } from '../../../stdio/test/support/built-app.ts';
import type { HostileProject } from '../../../stdio/test/support/hostile-project.ts';
import {
  canary,
  expected,
  flow,
  makeHostileProject,
  requests,
} from '../../../stdio/test/support/hostile-project.ts';
import { startServer } from '../../../stdio/test/support/server-process.ts';
import type { CliOptions } from '../support/cli-process.ts';
import { startCli } from '../support/cli-process.ts';
import { buildCli } from '../support/test-cli.ts';

let place: HostileProject;
let project = '';
let cli = '';
let stdio = '';

beforeAll(async () => {
  place = await makeHostileProject();
  ({ project } = place);
  [cli, stdio] = [await buildCli(), await buildApp()];
}, 120_000);

afterAll(async () => {
  await place.dispose();
  for (const entry of [cli, stdio]) await removeApp(entry);
});

const environment = (): Record<string, string> => ({ HOME: place.home });

const run = (args: readonly string[], more: Partial<CliOptions> = {}) =>
  startCli(args, { entry: cli, cwd: project, env: environment(), ...more }).ended;

test('An agent over stdio gets no text of a hostile project', async () => {
  const server = startServer({ entry: stdio, cwd: project, env: environment() });
  const client = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'agent', version: '1' },
  };
  await server.request('initialize', client);
  server.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const answers: unknown[] = [];
  const ask = async (method: string, params: object = {}): Promise<unknown> => {
    const answer = await server.request(method, params);
    answers.push(answer);
    return answer;
  };
  const listed = await ask('workflow_list');
  expect(listed).toMatchObject({ result: { untrusted: { count: expect.any(Number) } } });
  for (const [method, params] of requests) await ask(method, params);
  for (const id of [
    'twice-flow',
    'broken-flow',
    'parts-skill',
    'huge',
    'deep-flow',
    'bomb-flow',
    'gated-flow',
  ])
    expect(await ask('workflow_get', { id })).toMatchObject({
      error: { data: { command: expect.any(String) } },
    });
  expect(await ask('workflow_get', { id: 'release', mode: 'metadata' })).toMatchObject({
    result: { name: 'Release' },
  });
  // The answers about untrusted checks contain no text of the project either.
  const started = await ask('start_session', { agent_id: 'agent', workflow_id: 'build-it' });
  const token = (started as { readonly result: { readonly session_token: string } }).result.session_token;
  const moved = await ask('next_activity', { session_token: token });
  expect(moved).toMatchObject({ result: { activity_id: 'build' } });
  const at = (moved as { readonly result: { readonly session_token: string } }).result;
  expect(await ask('collect_evidence', { session_token: at.session_token })).toMatchObject({
    result: { evidence: [{ status: 'failed', reasons: [expect.any(String)] }] },
  });
  expect(JSON.stringify(answers)).not.toContain(canary);
  server.endInput();
  await server.ended;
});

test.each([
  'list',
  'list --json',
  'sources --json',
  'doctor --json',
  'trust --list --json',
  'trust',
  'show parts-skill',
  'graph twice-flow',
  'run parts-skill',
])('A piped command line, which an agent may read, shows no text of a hostile project: %s', async (line) => {
  const { out, err } = await run(line.split(' '));
  expect(out + err).not.toContain(canary);
});

describe('the review of a hostile project', () => {
  test('marks hostile parts, and refuses trust if there are hidden characters or errors', async () => {
    const host = createHost({ workingDirectory: project, homeDirectory: place.home });
    const held = await host.definitions.untrusted();
    const reviews: Awaited<ReturnType<typeof host.reviews.review>>[] = [];
    for (const one of held) reviews.push(await host.reviews.review(one));
    const of = (file: string) => reviews.find((review) => review?.file === file);
    for (const file of expected.hidden)
      expect({ file, ...of(file) }).toMatchObject({
        file,
        isTrustable: false,
        hidden: expect.arrayContaining([expect.anything()]),
      });
    for (const file of expected.broken)
      expect({ file, ...of(file) }).toMatchObject({
        file,
        isTrustable: false,
        problems: expect.arrayContaining([expect.objectContaining({ severity: 'error' })]),
      });
    for (const file of ['below.json', 'below.yaml'])
      expect(of(file)?.commands).toMatchObject([{ text: expect.stringContaining('git push --force') }]);
    expect(of('gated-flow/workflow.yaml')?.since).toMatchObject({ missing: ['work/merge'] });
    expect(of('release.json')?.replaces).toMatchObject({
      source: 'bundled',
      id: 'release',
      missing: expect.arrayContaining([expect.any(String)]),
    });
    expect(of('release.json')?.commands.length).toBeGreaterThan(0);
    expect(of('meta/workflow.yaml')).toMatchObject({ isTrustable: false });
    // Files that cannot be read, or have invisible characters in their names, have no review.
    expect(held.filter((_, at) => reviews[at] === undefined).map(({ file }) => file)).toEqual(
      expect.arrayContaining([...expected.unreadable]),
    );
    await host.close();
  });

  test('is of the served text: a file that changed after the review is held back', async () => {
    const where = { workingDirectory: project, homeDirectory: place.home };
    const host = createHost(where);
    const file = 'workflows/swapped.json';
    await writeFile(join(project, file), flow('swapped-flow', { name: 'Good' }));
    const review = await createHost(where).reviews.review({ source: 'project', file: 'swapped.json' });
    await writeFile(join(project, file), flow('swapped-flow', { name: 'Bad' }));
    if (review !== undefined) host.reviews.accept(review, 'ana');
    await expect(host.engine.get('swapped-flow')).rejects.toMatchObject({ code: 'UNTRUSTED' });
    await writeFile(join(project, file), flow('swapped-flow', { name: 'Good' }));
    const again = createHost(where);
    expect(await again.engine.metadata('swapped-flow')).toMatchObject({ name: 'Good' });
    await Promise.all([host.close(), again.close()]);
  });
});
