import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsOf, links, repository, sources, textOf } from '../support/documents.ts';

/** Returns whether a file or folder exists and, if there is an anchor, has a heading with this anchor. */
function isPlace(file: string, anchor: string | undefined): boolean {
  if (!existsSync(join(repository, file))) return false;
  return anchor === undefined || (file.endsWith('.md') && anchorsOf(file).has(anchor));
}

describe('the links in the documents', () => {
  const all = links();

  test('are found', () => expect(all.length).toBeGreaterThan(100));

  test.each(all)('lead from $file to an existing $target', ({ file, target }) => {
    const [path = '', anchor] = target.split('#');
    const to = path === '' ? file : normalize(join(dirname(file), path));
    expect(isPlace(to, anchor)).toBe(true);
  });
});

describe('the references to documents in the sources', () => {
  const references = sources().flatMap((file) =>
    [...textOf(file).matchAll(/docs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([target]) => ({ file, target })),
  );

  test('are found', () => expect(references.length).toBeGreaterThan(20));

  test.each(references)('lead from $file to an existing $target', ({ target }) => {
    const [path = '', anchor] = target.split('#');
    expect(isPlace(path, anchor)).toBe(true);
  });
});
