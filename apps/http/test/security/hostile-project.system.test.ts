import { join } from 'node:path';
import type { DefinitionReview, UntrustedList } from '@workflowlookup/console/contract';
import { hiddenPlaces } from '@workflowlookup/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HostileProject } from '../../../stdio/test/support/hostile-project.ts';
import {
  canary,
  expected,
  ids,
  makeHostileProject,
  requests,
} from '../../../stdio/test/support/hostile-project.ts';
import { serveAtPort } from '../support/at-port.ts';
import type { Browser } from '../support/browser.ts';
import { openKeyBrowser, openLocalBrowser } from '../support/browser.ts';
import type { Headers, TestService } from '../support/service.ts';
import { bearer, openServiceWith, posting, rpc } from '../support/service.ts';

let place: HostileProject;

beforeAll(async () => {
  place = await makeHostileProject();
}, 60_000);

afterAll(() => place.dispose());

const host = () => ({
  includeProject: true,
  includeBundled: true,
  workingDirectory: place.project,
  homeDirectory: place.home,
});

/** Sends all requests that an agent can make. Returns the texts of the answers. */
async function askForAll(
  { open }: Pick<TestService, 'open'>,
  url: URL,
  credential: Headers,
): Promise<ReadonlyMap<string, string>> {
  const headers = await open(credential);
  const answers = new Map<string, string>();
  const ask = async (method: string, params: object): Promise<void> => {
    const response = await fetch(url, posting(rpc(method, params), headers));
    answers.set(`${method} ${JSON.stringify(params)}`, await response.text());
  };
  for (const [method, params] of requests) {
    await ask(method, params);
    if (!method.includes('/')) await ask('tools/call', { name: method, arguments: params });
  }
  return answers;
}

test('An agent over HTTP gets no text of a hostile project, and no log has any of it', async () => {
  const served = await serveAtPort(['--auth', 'keys'], { host: host() });
  const key = await served.key({ principal: 'agent', scopes: ['read', 'write'] });
  const answers = await askForAll(served, served.url, bearer(key));
  const list = JSON.parse(answers.get('workflow_list {}') ?? '{}') as {
    readonly result: { readonly untrusted: { readonly count: number } };
  };
  // The ids are text of the files as well, so an agent learns only how many definitions there are.
  expect(list.result.untrusted).toEqual({ count: expect.any(Number), command: expect.any(String) });
  expect(list.result.untrusted.count).toBeGreaterThan(expected.hidden.length + expected.broken.length);
  const get = answers.get('workflow_get {"id":"release","mode":"full"}');
  expect(JSON.parse(get ?? '{}')).toMatchObject({ result: { name: 'Release' } });
  expect([...answers].filter(([, answer]) => answer.includes(canary))).toEqual([]);
  expect(served.logged.join('\n')).not.toContain(canary);
}, 60_000);

describe('the console with a hostile project', () => {
  const reviewPath = ({ source, file = '' }: UntrustedList['definitions'][number]): string =>
    `/untrusted/review?${new URLSearchParams({ source, file }).toString()}`;

  async function heldIn(browser: Browser): Promise<UntrustedList['definitions']> {
    return (await browser.read<UntrustedList>('/untrusted')).definitions;
  }

  test('shows no text of it to the credential of an agent', async () => {
    const service = openServiceWith({ host: host() }, '--auth', 'keys');
    const key = await service.key({ principal: 'agent', scopes: ['read', 'write'] });
    const browser = await openKeyBrowser(service, key);
    const held = await heldIn(browser);
    expect(held.length).toBeGreaterThan(expected.hidden.length);
    const files = [...expected.hidden, ...expected.broken, ...expected.unreadable];
    const paths = [
      '/untrusted',
      '/workflows',
      '/health',
      ...ids.map((id) => `/workflows/${encodeURIComponent(id)}`),
      ...files.flatMap((file) => {
        const query = new URLSearchParams({ source: 'project', file }).toString();
        return [`/untrusted/review?${query}`, `/text?${query}`];
      }),
    ];
    const answers = await Promise.all(
      paths.map(async (path) => [path, await (await browser.get(path)).text()] as const),
    );
    // The name of a requested file can be in the answer.
    const shown = answers.filter(([path, text]) => !path.includes(canary) && text.includes(canary));
    expect(shown).toEqual([]);
  });

  test('marks hostile parts for a person, and shows every character', async () => {
    const stateDirectory = join(place.home, '.workflowlookup', 'state');
    const browser = await openLocalBrowser(openServiceWith({ host: { ...host(), stateDirectory } }));
    const held = await heldIn(browser);
    const answers: (readonly [string, Response])[] = [];
    for (const one of held) answers.push([one.file ?? '', await browser.get(reviewPath(one))]);
    expect(new Set(answers.map(([, { status }]) => status))).toEqual(new Set([200, 404]));
    const shown = answers.filter(([, { ok }]) => ok);
    const reviews = new Map(
      await Promise.all(
        shown.map(async ([file, response]) => [file, (await response.json()) as DefinitionReview] as const),
      ),
    );
    const of = (file: string) => ({ file, ...reviews.get(file) });
    for (const file of expected.hidden)
      expect(of(file)).toMatchObject({
        isTrustable: false,
        hidden: expect.arrayContaining([expect.anything()]),
      });
    for (const file of expected.broken)
      expect(of(file)).toMatchObject({
        isTrustable: false,
        problems: expect.arrayContaining([
          { file, line: expect.any(Number), text: expect.stringMatching(/^error: /) },
        ]),
      });
    for (const file of ['below.json', 'below.yaml'])
      expect(of(file)).toMatchObject({ commands: [{ text: expect.stringContaining('git push --force') }] });
    expect(of('release.json')).toMatchObject({ replaces: { source: 'bundled', id: 'release' } });
    expect(of('meta/workflow.yaml')).toMatchObject({ isTrustable: false });
    expect(of('gated-flow/workflow.yaml')).toMatchObject({ since: { missing: ['work/merge'] } });
    const names = held.map(({ file }) => file);
    expect(names).toEqual(expect.arrayContaining([...expected.unreadable]));
    for (const file of expected.unreadable) expect(reviews.has(file)).toBe(false);
    expect(textsIn([held, [...reviews.values()]]).filter((text) => !isVisible(text))).toEqual([]);
  });
});

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function isVisible(text: string): boolean {
  return hiddenPlaces(text).next().done === true;
}
