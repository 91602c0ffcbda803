import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp, removeApp } from '../support/built-app.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildApp();
}, 60_000);

afterAll(() => removeApp(entry));

/** Texts that are each in only one part of the bundle. */
const marks = {
  'the engine': 'workflowlookup fingerprint of a token key',
  'the code that reads definitions': 'NaN is not allowed',
  'the SDK': 'mcp-protocol-version',
};

const atStart = /(?:from|import)"\.\/([^"]+)"/g;
const everLoaded = /(?:from|import\(?)"\.\/([^"]+)"/g;

/** Returns the texts of a file of the bundle and of all files that it imports: at the start, or also later. */
async function loadedWith(
  file: string,
  imports = atStart,
  seen = new Map<string, string>(),
): Promise<Map<string, string>> {
  if (seen.has(file)) return seen;
  const text = await readFile(join(dirname(entry), file), 'utf8');
  seen.set(file, text);
  for (const [, next = ''] of text.matchAll(imports)) await loadedWith(next, imports, seen);
  return seen;
}

test('The server answers initialize before it loads the engine, the readers or the SDK', async () => {
  const texts = [...(await loadedWith('run.js')).values()];
  const loaded = Object.entries(marks).flatMap(([what, mark]) =>
    texts.some((text) => text.includes(mark)) ? [what] : [],
  );
  expect(loaded).toEqual([]);
});

// With shared files, the server would load twice as many.
test('The server and its worker thread share no file', async () => {
  const own = await loadedWith('run.js', everLoaded);
  const thread = await loadedWith('job-thread.js', everLoaded);
  expect([...thread.keys()].filter((file) => own.has(file))).toEqual([]);
  for (const texts of [own, thread])
    expect([...texts.values()].join('')).toContain(marks['the code that reads definitions']);
});

// With such a character, V8 keeps two bytes for each character of the file.
test.each(['run.js', 'job-thread.js'])(
  'No file that %s loads has a character beyond Latin-1',
  async (file) => {
    const texts = await loadedWith(file, everLoaded);
    expect([...texts].flatMap(([name, text]) => (/[\u0100-\uFFFF]/.test(text) ? [name] : []))).toEqual([]);
  },
);
