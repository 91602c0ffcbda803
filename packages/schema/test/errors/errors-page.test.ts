import { errorCodes, errorHelp } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { anchorsOf, textOf } from '../../../../test/support/documents.ts';

const page = 'docs/errors.md';
const codes = Object.keys(errorCodes) as (keyof typeof errorCodes)[];

test('docs/errors.md has one heading for each code, in the order of the table', () => {
  const headings = [...textOf(page).matchAll(/^## (\S+)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(codes.map((code) => errorHelp(code).split('#')[1]));
});

test('The table in docs/errors.md matches the code', () => {
  const rows = textOf(page)
    .split('\n')
    .filter((line) => /^\| \[[A-Z_]+\]/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(rows).toEqual(
    codes.map((code) => {
      const { rpc, http, meaning, next } = errorCodes[code];
      return [`[${code}](#${errorHelp(code).split('#')[1]})`, String(rpc), String(http), meaning, next];
    }),
  );
});

test.each(codes)('The help link of %s leads to its section', (code) => {
  const [address, anchor = ''] = errorHelp(code).split('#');
  expect(address).toBe(`https://github.com/workflowlookup/workflowlookup/blob/main/${page}`);
  expect(anchorsOf(page)).toContain(anchor);
});
