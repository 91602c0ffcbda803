import {
  findElement,
  findResource,
  findSkill,
  parseOperationReference,
  parseResourceReference,
  parseSkillReference,
} from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { flow, readFolder, skill } from '../support/folders.ts';

test.each([
  ['plan::draw', { skill: 'plan', element: 'draw' }],
  ['meta/plan::draw', { workflow: 'meta', skill: 'plan', element: 'draw' }],
  ['plan', undefined],
  ['plan:draw', undefined],
  ['a/b/plan::draw', undefined],
  ['plan::draw::more', undefined],
  ['::draw', undefined],
])('The operation reference %s is parsed', (reference, expected) => {
  expect(parseOperationReference(reference)).toEqual(expected);
});

test.each([
  ['03', { resource: '03' }],
  ['meta/01', { workflow: 'meta', resource: '01' }],
  ['resources/03-map.md', { resource: '03-map.md' }],
  ['meta/resources/01-map.md', { workflow: 'meta', resource: '01-map.md' }],
  ['', undefined],
  ['/01', undefined],
  ['meta/', undefined],
  ['a/b/c', undefined],
  ['../map', { workflow: '..', resource: 'map' }],
])('The resource reference %s is parsed', (reference, expected) => {
  expect(parseResourceReference(reference)).toEqual(expected);
});

test('Skill references are parsed', () => {
  expect([parseSkillReference('plan'), parseSkillReference('other/plan')]).toEqual([
    { skill: 'plan' },
    { workflow: 'other', skill: 'plan' },
  ]);
});

const parts = async () => {
  const { workflow } = await readFolder(
    flow({
      'skills/01-plan.yaml': skill('plan', {
        operations: { all: { description: 'Operation' } },
        rules: { all: 'Rule', some: ['Rule'] },
        errors: { all: { cause: 'x' }, few: { cause: 'x' } },
      }),
      'resources/03-map.md': '---\nid: chart\n---\nMap',
      'resources/12-7.md': 'Seven',
    }),
  );
  return { skills: workflow?.skills ?? [], resources: workflow?.resources ?? [] };
};

test.each([
  ['all', { type: 'operation', body: { description: 'Operation' } }],
  ['some', { type: 'rule', body: ['Rule'] }],
  ['few', { type: 'error', body: { cause: 'x' } }],
  ['none', undefined],
  ['constructor', undefined],
])('The element %s of a skill is found if it exists', async (name, expected) => {
  const plan = findSkill((await parts()).skills, 'plan');
  expect(plan && findElement(plan, name)).toEqual(expected);
});

test.each([
  ['03', 'Map'],
  ['3', 'Map'],
  ['chart', 'Map'],
  ['map', 'Map'],
  ['03-map', 'Map'],
  ['03-map.md', 'Map'],
  ['resources/03-map.md', 'Map'],
  ['7', 'Seven'],
  ['0', undefined],
  ['', undefined],
])('The resource reference %s finds its resource, if there is one', async (reference, body) => {
  expect(findResource((await parts()).resources, reference)?.body).toBe(body);
});
