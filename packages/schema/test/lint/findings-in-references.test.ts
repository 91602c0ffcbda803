import {
  findResource,
  isSharedResource,
  parseOperationReference,
  parseResourceReference,
  parseSkillReference,
} from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import { definition, loop, read, step } from '../support/definitions.ts';
import type { Files } from '../support/folders.ts';
import { activity, checkpoint, flow, readFolder, skill, workflow } from '../support/folders.ts';
import { summarizeIssue } from '../support/summarize-issue.ts';

// How references are resolved in a workflow and in other workflows, and the issues of those that cannot be resolved.

test('A reference without a workflow has none, and one that begins with a slash has an empty one', () => {
  expect(parseOperationReference('plan::draw')).toStrictEqual({ skill: 'plan', element: 'draw' });
  expect(parseResourceReference('map')).toStrictEqual({ resource: 'map' });
  expect(parseSkillReference('/plan')).toStrictEqual({ workflow: '', skill: 'plan' });
});

test.each([
  [{ resource: 'map' }, true],
  [{ resource: 'row-3' }, true],
  [{ resource: '3-rows' }, true],
  [{ resource: '03' }, false],
  [{ workflow: 'orchard', resource: 'map' }, false],
])('The reference %j is also looked up in meta: %s', (reference, isShared) => {
  expect(isSharedResource(reference)).toBe(isShared);
});

test('Only the end of a reference is an extension', async () => {
  const { workflow: served } = await readFolder(flow({ 'resources/05-jam.md.old.md': 'Jam' }));
  expect(findResource(served?.resources ?? [], '05-jam.md.old')?.body).toBe('Jam');
});

const keyRing = (length: number) =>
  Array.from({ length }, (_, at) => loop(`loop-${at}`, `loop-${(at + 1) % length}`));
const tooDeep = 'error unknown-step /steps/0/body';

test.each<[what: string, steps: readonly object[], lines: readonly string[]]>([
  ['no step is like', [loop('again', 'agian'), step('work')], ['error unknown-step /steps/0/body']],
  ['is the loop itself', [loop('again', 'again')], ['error unknown-step /steps/0/body']],
  [
    'leads too far, reported once',
    [...keyRing(66).slice(0, -1), loop('loop-65', 'work'), step('work')],
    [tooDeep],
  ],
  ['leads on too far before it leads back', keyRing(66), [tooDeep]],
])('A loop with a body that %s is reported', async (_, steps, lines) => {
  expect((await read(definition({ steps }))).issues.map(summarizeIssue)).toEqual(lines);
});

const orchard: Files = {
  'skills/01-prune.yaml': skill('prune', { rules: { calm: 'Mind the crate' } }),
  'resources/01-map.md': 'Rows of trees',
  'activities/01-pick.yaml': activity('pick'),
};
const meta: Files = { 'skills/01-sow.yaml': skill('sow', { rules: { deep: 'Sow deep' } }) };
const others = { orchard, meta };
const start = (more: object, files: Files = {}): Files =>
  flow({ 'activities/01-start.yaml': activity('start', more), ...files });
const tellAll = async (...reading: Parameters<typeof readFolder>): Promise<readonly string[]> =>
  [...(await readFolder(...reading)).issuesByFile.values()].flatMap((issues) => issues.map(summarizeIssue));

test('A broken resource can be referred to by its number and by each form of its name', async () => {
  const names = ['3', '03', 'jam.tart', '03-jam.tart', '03-jam.tart.json'];
  const resources = [...names, 'resources/03-jam.tart', 'resources/03-jam.tart.json'];
  const files = { 'skills/01-plan.yaml': skill('plan', { resources }), 'resources/03-jam.tart.json': '{' };
  const { issuesByFile } = await readFolder(flow(files), { others });
  expect([...issuesByFile.keys()]).toEqual(['resources/03-jam.tart.json']);
});

test('A resource of a named workflow is looked up only there', async () => {
  const files = {
    'skills/01-plan.yaml': skill('plan', { resources: ['orchard/map', 'orchard/own', 'own'] }),
    'resources/01-own.md': 'Own',
  };
  expect(await tellAll(flow(files), { others })).toEqual(['warning unknown-reference /resources/1']);
});

test('Skills in meta are found for a borrowed activity, and with the name of any workflow', async () => {
  const lender = { ...orchard, 'activities/01-pick.yaml': activity('pick', { skills: { primary: 'sow' } }) };
  const files = start(
    { skills: { primary: 'orchard/sow' }, transitions: [{ to: 'pick' }] },
    { 'workflow.yaml': workflow({ activities: ['orchard/01-pick'] }) },
  );
  expect(await tellAll(files, { others: { meta, orchard: lender } })).toEqual([]);
});

const crate = { 'workflow.yaml': workflow({ variables: [{ name: 'crate', type: 'string' }] }) };

test.each<[by: string, files: Files]>([
  ['a skill', start({ skills: { primary: 'orchard/prune' } }, crate)],
  ['an operation', start({ operations: ['orchard/prune::calm'] }, crate)],
  ['a resource', flow({ ...crate, 'skills/01-plan.yaml': skill('plan', { resources: ['orchard/map'] }) })],
  [
    'a borrowed activity',
    start(
      { transitions: [{ to: 'pick' }] },
      {
        'workflow.yaml': workflow({
          variables: [{ name: 'crate', type: 'string' }],
          activities: ['orchard/01-pick'],
        }),
      },
    ),
  ],
])('A variable counts as used if the workflow of %s uses it', async (_, files) => {
  expect(await tellAll(files, { others })).toEqual([]);
});

test('A variable counts as used if the action that sets another one reads it', async () => {
  const action = { action: 'set', target: 'row', value: null, condition: 'crate == "full"' };
  expect(await tellAll(start({ entryActions: [action] }, crate), { others })).toEqual([]);
});

test.each<[what: string, names: readonly string[], condition: string]>([
  ['a part of one that is declared', ['crate'], 'crate.lid'],
  ['declared with its dot', ['crate.lid'], 'crate.lid'],
])('A variable is known if it is %s', async (_, names, condition) => {
  const variables = names.map((name) => ({ name, type: 'object' }));
  const files = start({ steps: [{ id: 'a', condition }] }, { 'workflow.yaml': workflow({ variables }) });
  const variablesOf = (source: unknown) => (typeof source === 'string' ? [source] : []);
  expect(await tellAll(files, { variablesOf })).toEqual([]);
});

test('Unknown variables in conditions are not reported without a way to find them', async () => {
  expect(await tellAll(start({ steps: [{ id: 'a', condition: 'basket' }] }, crate))).toEqual([]);
});

const each = { id: 'each', name: 'Each', type: 'forEach', over: 'crates', variable: 'crate' };
const hides = 'warning shadowed-name /loops/0/variable';
const shown = { checkpoints: [checkpoint('go', { message: 'Lift {crate.lid}?' })] };

test.each<[what: string, more: object, then: object, lines: readonly string[]]>([
  ['its own list', { loops: [{ ...each, over: 'crate' }] }, {}, [hides]],
  ['what another activity shows', { loops: [each] }, shown, [hides]],
  ['nothing where its own activity shows it', { loops: [each], ...shown }, {}, []],
  [
    'nothing where an action only asks for it',
    { loops: [each], entryActions: [{ action: 'validate', target: 'crate' }] },
    {},
    [],
  ],
])('The item of a loop hides %s', async (_, more, then, lines) => {
  const variables = ['crate', 'crates'].map((name) => ({ name, type: 'array' }));
  const files = start(
    { ...more, transitions: [{ to: 'then' }] },
    { 'workflow.yaml': workflow({ variables }), 'activities/02-then.yaml': activity('then', then) },
  );
  expect(await tellAll(files)).toEqual(lines);
});

describe('the item of a loop over activities', () => {
  const over = { loops: [{ ...each, activities: ['lift'] }], transitions: [{ to: 'then' }] };
  const files = (names: readonly string[], lift: object, then: object = {}) =>
    start(over, {
      'workflow.yaml': workflow({ variables: names.map((name) => ({ name, type: 'array' })) }),
      'activities/02-lift.yaml': activity('lift', lift),
      'activities/03-then.yaml': activity('then', then),
      'activities/04-store.yaml': activity('store', shown),
    });
  const behind = { transitions: [{ to: 'store' }] };

  test.each([['crates'], ['crates', 'crate']])(
    'is known in its activities and in those that follow: %s %s',
    async (...names) => {
      expect(await tellAll(files(names, { ...shown, ...behind }), { others })).toEqual([]);
    },
  );

  test('is unknown in other activities, and hides a variable that they show', async () => {
    const unknown = 'warning unknown-variable /checkpoints/0/message';
    expect(await tellAll(files(['crates'], behind, shown))).toEqual([unknown]);
    expect(await tellAll(files(['crates', 'crate'], behind, shown))).toEqual([hides]);
  });
});

test('Steps with the same id in different lists are reported with a suggestion', async () => {
  const loops = [{ ...each, steps: [{ id: 'lift' }] }];
  expect(await tellAll(start({ steps: [{ id: 'lift' }], loops }))).toEqual([
    'warning duplicate-id /loops/0/steps/0/id',
  ]);
});

test('Errors of a borrowed activity are reported with a suggestion, if there is one', async () => {
  const file = 'orchard/activities/01-pick.yaml';
  const lender = { ...orchard, 'activities/01-pick.yaml': activity('pick', { skills: { primary: 'none' } }) };
  const files = start(
    { transitions: [{ to: 'pick' }] },
    { 'workflow.yaml': workflow({ activities: ['orchard/01-pick'] }) },
  );
  const { workflow: served, issuesByFile } = await readFolder(files, {
    others: { orchard: lender },
    checks: [() => [{ file, severity: 'error', code: 'x-test', pointer: '/name', message: 'No' }]],
  });
  const issues = issuesByFile.get('workflow.yaml') ?? [];
  expect(issues.map(summarizeIssue)).toEqual([
    'warning unknown-reference /activities/0',
    'error! x-test /activities/0',
  ]);
  expect(issues[1]).not.toHaveProperty('suggestion');
  expect(served?.problems).toEqual([{ kind: 'activity', id: 'pick', file, issues }]);
});
