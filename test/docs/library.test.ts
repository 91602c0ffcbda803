import { expect, test } from 'vitest';
import { textOf } from '../support/documents.ts';
import { readPackages } from '../support/manifest.ts';

/** The published libraries. Apps are not among them, because they only export code for each other. */
const libraries = readPackages().filter(
  ({ folder, manifest }) => folder.startsWith('packages/') && manifest.private !== true,
);

const entries = libraries.flatMap(({ folder, manifest: { name, exports = {} } }) =>
  Object.entries(exports).flatMap(([subpath, target]) => {
    if (typeof target === 'string' || target['types'] === undefined) return [];
    const report = subpath === '.' ? 'index' : subpath.slice(2);
    return `\`${name}${subpath.slice(1)}\` ../${folder}/api/${report}.api.md`;
  }),
);

test('docs/library.md has a row for every entry of the packages, with a link to its report', () => {
  const rows = textOf('docs/library.md').matchAll(/^\| (`@\S+`).*\((\S+)\) +\|$/gm);
  expect([...rows].map(([, name, report]) => `${name} ${report}`).toSorted()).toEqual(entries.toSorted());
});
