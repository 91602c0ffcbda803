import { errorCodes, errorHelp } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { anchorsOf, textOf } from '../../../apps/stdio/test/documents.ts';

const page = 'docs/errors.md';

test('docs/errors.md has one heading for each code, in the order of the table', () => {
  // Below a code there may be headings for what it can mean.
  const headings = [...textOf(page).matchAll(/^## (\S+)$/gm)].map(([, slug]) => slug);
  expect(headings).toEqual(Object.values(errorCodes).map(({ slug }) => slug));
});

test('the table of docs/errors.md is the one of the code', () => {
  const rows = [...textOf(page).matchAll(/^\| ([A-Z_]+) +\| (-\d+) \| (\d+) +\|$/gm)];
  expect(rows.map(([, name, rpc, http]) => [name, Number(rpc), Number(http)])).toEqual(
    Object.entries(errorCodes).map(([name, { rpc, http }]) => [name, rpc, http]),
  );
});

test.each(Object.keys(errorCodes) as (keyof typeof errorCodes)[])('the help of %s leads there', (code) => {
  const [address, anchor = ''] = errorHelp(code).split('#');
  expect(address).toBe(`https://github.com/workflowlookup/workflowlookup/blob/main/${page}`);
  expect(anchorsOf(page)).toContain(anchor);
});
