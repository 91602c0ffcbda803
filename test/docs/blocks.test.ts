import { parse as parseToml } from 'smol-toml';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { blocks } from '../support/documents.ts';

/** The parser of a block, by the first word after its fence. Other tests check commands, TypeScript and diagrams. */
const readers: Readonly<Record<string, ((text: string) => unknown) | 'elsewhere'>> = {
  json: JSON.parse,
  yaml: (text) => parseYaml(text),
  toml: parseToml,
  sh: 'elsewhere',
  ts: 'elsewhere',
  text: 'elsewhere',
  mermaid: 'elsewhere',
};

function languageOf(info: string): string {
  return info.split(' ', 1)[0] ?? '';
}

test('Every code block has a language that is checked', () => {
  const unknown = blocks().filter(({ info }) => readers[languageOf(info)] === undefined);
  expect(unknown).toEqual([]);
});

const configs = blocks().flatMap(({ file, info, text }) => {
  const read = readers[languageOf(info)];
  return typeof read === 'function' ? { file, info, text, read } : [];
});

test.each(configs)('A block of $info in $file can be parsed', ({ read, text }) => {
  expect(read(text)).toBeTypeOf('object');
});
