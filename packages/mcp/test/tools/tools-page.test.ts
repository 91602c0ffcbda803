import { describe, expect, test } from 'vitest';
import { textOf } from '../../../../test/support/documents.ts';
import type { Tool } from '../../src/index.ts';
import { tools } from '../../src/index.ts';

const page = textOf('docs/tools.md');

/** Returns the row of a tool in the table of the page. */
function rowOf({ name, title, inputSchema, annotations }: Tool): readonly string[] {
  const { properties = {}, required = [] } = inputSchema as {
    readonly properties?: object;
    readonly required?: readonly string[];
  };
  const parameters = Object.keys(properties).map((key) => `\`${key}${required.includes(key) ? '' : '?'}\``);
  return [`\`${name}\``, title, parameters.join(', '), annotations.readOnlyHint ? 'reads' : 'writes'];
}

test('The table in docs/tools.md matches the table of tools', () => {
  const section = page.slice(page.indexOf('\n## All tools\n'));
  const [, table = ''] = /^\| -.*\n((?:\|.*\n)+)/m.exec(section) ?? [];
  const rows = table
    .trimEnd()
    .split('\n')
    .map((line) => line.split('|').slice(1, -1));
  expect(rows.map((cells) => cells.map((cell) => cell.trim()))).toEqual(tools.map(rowOf));
});

describe('docs/tools.md', () => {
  test.each(tools.map(({ name }) => name))('has a section on %s', (name) => {
    expect(page.slice(page.indexOf('\n## workflow_list'))).toMatch(new RegExp(`^###? ${name}$`, 'm'));
  });
});
