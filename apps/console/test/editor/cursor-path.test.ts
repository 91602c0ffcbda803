import { expect, test } from 'vitest';
import { yamlPath } from '../../src/editor/completion.ts';

test.each([
  ['', [], undefined],
  ['na', [], undefined],
  ['id: a\nna', [], undefined],
  ['version: 1', [], 'version'],
  ['steps:\n  - ', ['steps', '[]'], undefined],
  ['steps:\n  - id: a\n    ti', ['steps', '[]'], undefined],
  ['steps:\n  - id: a\n    type: lo', ['steps', '[]'], 'type'],
  ['steps:\n- id: a\n  ti', ['steps', '[]'], undefined],
  ['steps:\n  - id: a\n  - id: b\n    loop:\n      ty', ['steps', '[]', 'loop'], undefined],
  ['steps:\n  - id: a\n    body:\n      - id: b\n        ti', ['steps', '[]', 'body', '[]'], undefined],
  ['steps:\n  - id: a\n\n    # a remark\n    ti', ['steps', '[]'], undefined],
  ['a:\n  b:\n    c: 1\nsteps:\n  - id: x\nna', [], undefined],
  ['"quoted":\n  ke', ['quoted'], undefined],
])('The path at the end of %j is found', (text, path, key) => {
  expect(yamlPath(text)).toEqual({ path, ...(key !== undefined && { key }) });
});
