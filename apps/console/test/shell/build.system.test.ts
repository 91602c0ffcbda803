import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPages } from '../support/build-pages.ts';

const maxFirstLoadBytes = 250_000;

let folder: string;
let texts: ReadonlyMap<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workflowlookup-pages-'));
  await buildPages(folder);
  const names = ['index.html', ...(await readdir(join(folder, 'assets'))).map((name) => `assets/${name}`)];
  const read = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
  texts = new Map(await Promise.all(read));
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const page = (): string => texts.get('index.html') ?? '';

/** Returns the page and the assets it links, which a browser loads first. */
function firstLoad(): readonly string[] {
  const named = [...page().matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)];
  return [page(), ...named.map(([, name = '']) => texts.get(name) ?? '')];
}

test('the first load is smaller than 250 KB when compressed', () => {
  const bytes = firstLoad().reduce((sum, text) => sum + gzipSync(text).length, 0);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(maxFirstLoadBytes);
});

test('the first load consists of few files, because a browser needs time for each of them, even from its cache', () => {
  const [shell, ...files] = firstLoad();
  expect(shell).toContain('<div id="root">');
  expect(files.filter((text) => text !== '').length).toBeLessThanOrEqual(9);
});

test('the editor and the graph are not in the first load', () => {
  const loaded = firstLoad().join('\n');
  const all = [...texts.values()].join('\n');
  for (const mark of ['cm-scroller', 'react-flow__viewport']) {
    expect(loaded.includes(mark), mark).toBe(false);
    expect(all.includes(mark), mark).toBe(true);
  }
});

test('the editor is loaded without the graph', () => {
  const names = [...texts.keys()].filter((name) => name.startsWith('assets/definition-editor-'));
  // The loop also visits files that are added to the set during the loop.
  const loaded = new Set(names.filter((name) => name.endsWith('.js')));
  for (const name of loaded)
    for (const [, file = ''] of (texts.get(name) ?? '').matchAll(/from\s*"\.\/([^"]+\.js)"/g))
      loaded.add(`assets/${file}`);
  expect(loaded.size).toBeGreaterThan(1);
  for (const name of loaded) expect(texts.get(name)?.includes('dagre'), name).toBe(false);
});

test('the page has no inline code and loads nothing from other hosts', () => {
  expect(page()).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)| on\w+=/);
  for (const [, address] of page().matchAll(/(?:src|href)="([^"]*)"/g))
    expect(address).toMatch(/^\/console\//);
  const styles = [...texts].filter(([name]) => name.endsWith('.css'));
  expect(styles.length).toBeGreaterThan(0);
  for (const [, style] of styles) expect(style).not.toMatch(/url\(|@import/);
});
