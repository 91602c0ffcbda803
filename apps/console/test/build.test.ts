import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Rolldown } from 'vite';
import { build } from 'vite';
import { beforeAll, expect, test } from 'vitest';

const maxFirstLoadBytes = 250_000;

type Output = Rolldown.OutputChunk | Rolldown.OutputAsset;

let files: readonly Output[];

beforeAll(async () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const built = await build({ root, logLevel: 'error', build: { write: false } });
  if (!('output' in built)) throw new Error('the pages are one build');
  files = built.output;
}, 60_000);

const named = (name: string): Output => {
  const found = files.find(({ fileName }) => fileName === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};

const textOf = (file: Output): string =>
  file.type === 'chunk' ? file.code : Buffer.from(file.source).toString('utf8');

/** What a browser fetches before the first page is there: the files the page names, and what those import at once. */
function firstLoad(): readonly Output[] {
  const page = textOf(named('index.html'));
  const open = [...page.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, name = '']) => name);
  const found = new Set<string>(['index.html']);
  for (const name of open) {
    if (found.has(name) || name === 'icon.svg') continue;
    found.add(name);
    const file = named(name);
    if (file.type === 'chunk') open.push(...file.imports);
  }
  return [...found].map(named);
}

test('the first load is under 250 KB, compressed', () => {
  const bytes = firstLoad().reduce((sum, file) => sum + gzipSync(textOf(file)).length, 0);
  expect(bytes).toBeLessThan(maxFirstLoadBytes);
});

test('the editor and the picture are not in the first load', () => {
  const loaded = firstLoad().map(textOf).join('\n');
  expect(loaded).not.toContain('cm-scroller');
  expect(loaded).not.toContain('react-flow__viewport');
  expect(files.map(textOf).join('\n')).toContain('cm-scroller');
});

test('the page has nothing inline, and nothing from elsewhere', () => {
  const page = textOf(named('index.html'));
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)| on\w+=/);
  for (const [, address] of page.matchAll(/(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^\/console\//);
  const styles = files.filter(({ fileName }) => fileName.endsWith('.css'));
  expect(styles.length).toBeGreaterThan(0);
  for (const style of styles) expect(textOf(style)).not.toMatch(/url\(|@import/);
});
