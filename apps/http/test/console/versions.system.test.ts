import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefinitionText, Saved, TextVersions } from '@workflowlookup/console/contract';
import { expect, test } from 'vitest';
import type { TestService } from '../support/service.ts';
import { openService } from '../support/service.ts';
import type { Browser } from '../support/browser.ts';
import { openKeyBrowser, openLocalBrowser } from '../support/browser.ts';

const file = 'review-flow.json';
const source = 'custom-2';
const wanted = `source=${source}&file=${file}`;

function openEditor(...flags: readonly string[]): TestService {
  const { definitions } = openService();
  const service = openService('--workflows', definitions, '--writable', definitions, ...flags);
  return { ...service, definitions };
}

const read = (browser: Browser): Promise<DefinitionText> => browser.read(`/text?${wanted}`);
const list = async (browser: Browser): Promise<TextVersions['versions']> =>
  (await browser.read<TextVersions>(`/versions?${wanted}`)).versions;

/** Saves the file with another description, and returns its text. */
async function save(browser: Browser, description: string): Promise<string> {
  const { text: before, digest } = await read(browser);
  const text = before.replace(/"description":"[^"]*"/, `"description":"${description}"`);
  await browser.write<Saved>('PUT', '/text', { source, file, text, digest });
  return text;
}

test('A save keeps the replaced and the written text, with the time and the person', async () => {
  const service = openEditor();
  const browser = await openLocalBrowser(service);
  const first = await read(browser);
  expect(await list(browser)).toEqual([]);
  await save(browser, 'One.');
  const two = await save(browser, 'Two.');
  const versions = await list(browser);
  const at = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(versions).toEqual([
    { digest: (await read(browser)).digest, savedAt: at, savedBy: expect.any(String) },
    { digest: expect.any(String), savedAt: at, savedBy: expect.any(String) },
    { digest: first.digest, savedAt: at },
  ]);
  const textOf = async (digest = '') =>
    (await browser.read<{ readonly text: string }>(`/versions/${digest}?${wanted}`)).text;
  expect(await textOf(versions[0]?.digest)).toBe(two);
  expect(await textOf(versions[2]?.digest)).toBe(first.text);
  expect((await browser.get(`/versions/${'0'.repeat(64)}?${wanted}`)).status).toBe(404);
});

test('A text that was changed outside the console is kept when a save replaces it', async () => {
  const service = openEditor();
  const browser = await openLocalBrowser(service);
  await save(browser, 'One.');
  const path = join(service.definitions, file);
  writeFileSync(path, readFileSync(path, 'utf8').replace('One.', 'By hand.'));
  await save(browser, 'Two.');
  const versions = await list(browser);
  expect(versions).toHaveLength(4);
  expect(versions.map(({ savedBy }) => savedBy !== undefined)).toEqual([true, false, true, false]);
});

test('The last 20 versions are kept in the state directory, readable only for its owner', async () => {
  const service = openEditor();
  const browser = await openLocalBrowser(service);
  for (let count = 1; count <= 22; count += 1) await save(browser, `Number ${count}.`);
  expect(await list(browser)).toHaveLength(20);
  const folder = join(service.state, 'versions');
  const kept = readdirSync(folder);
  expect(kept).toHaveLength(1);
  expect(statSync(join(folder, kept[0] ?? '')).mode & 0o077).toBe(0);
  expect(readdirSync(service.definitions).filter((name) => name.endsWith('.json'))).toEqual([file]);
  // With a broken file, no versions are listed, but saving still works.
  writeFileSync(join(folder, kept[0] ?? ''), '{"versions":[{"text":1}]}');
  expect(await list(browser)).toEqual([]);
  chmodSync(folder, 0o500);
  const text = await save(browser, 'The last one.');
  expect(readFileSync(join(service.definitions, file), 'utf8')).toBe(text);
  chmodSync(folder, 0o700);
});

test('Only a user who may save can read the versions, and no path leads out of the source', async () => {
  const service = openEditor('--auth', 'keys');
  const openWith = async (...scopes: readonly ('read' | 'write' | 'checkpoints:respond')[]) =>
    openKeyBrowser(service, await service.key({ principal: 'team-a', scopes }));
  const author = await openWith('read', 'write', 'checkpoints:respond');
  await save(author, 'One.');
  const [version] = await list(author);
  for (const browser of [await openWith('read', 'write'), await openWith('read', 'checkpoints:respond')])
    for (const path of [`/versions?${wanted}`, `/versions/${version?.digest}?${wanted}`])
      expect((await browser.get(path)).status).toBe(403);
  expect((await author.get('/versions?source=custom-2&file=../secret.json')).status).toBe(403);
  expect((await author.get(`/versions?source=none&file=${file}`)).status).toBe(404);
});
