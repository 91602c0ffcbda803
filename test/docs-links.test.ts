import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsOf, links, repository, sources, textOf } from '../apps/stdio/test/documents.ts';

/** Whether a file or folder is there, and in it the heading that an anchor names. */
function isPlace(file: string, anchor: string | undefined): boolean {
  if (!existsSync(join(repository, file))) return false;
  return anchor === undefined || (file.endsWith('.md') && anchorsOf(file).has(anchor));
}

describe('links', () => {
  const all = links();

  test('are there', () => expect(all.length).toBeGreaterThan(100));

  test.each(all)('of $file lead to $target', ({ file, target }) => {
    const [path = '', anchor] = target.split('#');
    const to = path === '' ? file : normalize(join(dirname(file), path));
    expect(isPlace(to, anchor)).toBe(true);
  });
});

describe('references in the sources', () => {
  const references = sources().flatMap((file) =>
    [...textOf(file).matchAll(/docs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([target]) => ({ file, target })),
  );

  test('are there', () => expect(references.length).toBeGreaterThan(20));

  test.each(references)('$file: $target', ({ target }) => {
    const [path = '', anchor] = target.split('#');
    expect(isPlace(path, anchor)).toBe(true);
  });
});
