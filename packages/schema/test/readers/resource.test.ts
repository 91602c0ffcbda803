import { expect, test } from 'vitest';
import { flow, readFolder, issueLines } from '../support/folders.ts';

const read = async (text: unknown, file = 'resources/03-map.md') => {
  const reading = await readFolder(flow({ [file]: text }));
  return { part: reading.workflow?.resources[0], issues: issueLines(reading), reading };
};

test.each([
  [
    'front matter',
    '---\nid: maps\nversion: 4.0.1\nother: [1]\n---\n\n# Map\n',
    { id: 'maps', version: '4.0.1', body: '# Map\n' },
  ],
  ['front matter and CRLF', '---\r\nid: maps\r\n---\r\nMap\r\n', { id: 'maps', body: 'Map\r\n' }],
  ['a byte order mark', '\uFEFF---\nid: maps\n---\nMap', { id: 'maps', body: 'Map' }],
  ['no front matter', '# Map\n\n---\n\nid: maps\n', { id: 'map', body: '# Map\n\n---\n\nid: maps\n' }],
  ['a rule at the top', '---\nSome prose.\n---\nMore', { id: 'map', body: '---\nSome prose.\n---\nMore' }],
  ['a rule that nothing follows', '---\nid: maps', { id: 'map', body: '---\nid: maps' }],
  ['front matter of another', '---\nname: Map\n---\nMap', { id: 'map', body: 'Map' }],
  ['nothing', '', { id: 'map', body: '' }],
])('Markdown with %s is read', async (_, text, expected) => {
  const { part, issues } = await read(text);
  expect(issues).toEqual([]);
  expect(part).toMatchObject({ index: '03', name: 'map', format: 'md', ...expected });
  expect(part).not.toHaveProperty('value');
  expect(part?.version).toBe('version' in expected ? expected.version : undefined);
});

test.each([
  ['YAML', 'resources/03-map.yaml', 'id: maps\nversion: "1.0"\nplum: 3'],
  ['JSON', 'resources/03-map.json', '{"id": "maps", "version": "1.0", "plum": 3}'],
  ['TOON', 'resources/03-map.toon', 'id: maps\nversion: "1.0"\nplum: 3'],
])('%s is read as data', async (_, file, text) => {
  const { part, issues } = await read(text, file);
  expect(issues).toEqual([]);
  expect(part).toMatchObject({
    id: 'maps',
    version: '1.0',
    body: text,
    text,
    value: { id: 'maps', version: '1.0', plum: 3 },
  });
});

test('A list is read as the content of a resource', async () => {
  expect((await read([1, 2], 'resources/03-map.json')).part).toMatchObject({ id: 'map', value: [1, 2] });
});

test.each([
  ['that can not be parsed', '---\nid: maps\nname: a: b\n---\nMap', '', '3:7'],
  ['of the wrong shape', '---\nversion: 7\n---\nMap', '/version', '2:10'],
])('The text below front matter %s is served', async (_, text, pointer, place) => {
  const { part, reading } = await read(text);
  expect(part).toMatchObject({ id: 'map', body: 'Map', text });
  const [issue] = reading.issuesByFile.get('resources/03-map.md') ?? [];
  expect(issue).toMatchObject({ severity: 'error', served: true, pointer });
  expect(`${issue?.line}:${issue?.column}`).toBe(place);
});

test('Data that cannot be used is left out', async () => {
  const { part, reading } = await read('id: 7', 'resources/03-map.yaml');
  expect(part).toBeUndefined();
  expect(reading.workflow?.problems).toMatchObject([{ kind: 'resource', id: 'map' }]);
});
