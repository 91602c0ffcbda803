import { expect, test } from 'vitest';
import { definition, read, step } from '../support/definitions.ts';
import { activity, flow, readFolder, workflow } from '../support/folders.ts';

async function codesIn(...evidence: readonly object[]): Promise<readonly string[]> {
  const { issues } = await read(definition({ steps: [step('plan', { evidence })] }));
  return issues.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`);
}

test('Evidence that can be collected has no problem', async () => {
  const found = await codesIn(
    { id: 'tests', check: 'test', tests: 'not-fewer' },
    { id: 'vouched', check: 'test', level: 'ci', min: 3 },
    { id: 'pushed', check: 'test', level: 'ci', github: { check: 'ci / test' } },
    { id: 'seen', file: { path: 'docs/plan.md' }, level: 'observed' },
  );
  expect(found).toEqual([]);
});

test.each<[string, object, string]>([
  ['of no kind', { id: 'a' }, 'error wrong-value /steps/0/evidence/0'],
  ['of two kinds', { id: 'a', check: 'test', git: { clean: true } }, 'error wrong-value /steps/0/evidence/0'],
  [
    'with an option of checks',
    { id: 'a', git: { clean: true }, min: 3 },
    'error wrong-value /steps/0/evidence/0/min',
  ],
  [
    'that CI can not vouch for',
    { id: 'a', git: { clean: true }, level: 'ci' },
    'error wrong-value /steps/0/evidence/0/level',
  ],
  [
    'that looks at GitHub in vain',
    { id: 'a', check: 'test', github: { check: 'ci / test' } },
    'error wrong-value /steps/0/evidence/0/github',
  ],
  [
    'that GitHub has no counts for',
    { id: 'a', check: 'test', level: 'ci', tests: 'not-fewer', github: { check: 'ci / test' } },
    'error wrong-value /steps/0/evidence/0/github',
  ],
])('Evidence %s is an error', async (_, evidence, problem) => {
  expect(await codesIn(evidence)).toEqual([problem]);
});

function codesInActivity(...steps: readonly object[]): Promise<readonly string[]> {
  return findingsIn('stuck', { steps });
}

async function findingsIn(wanted: string, parts: object): Promise<readonly string[]> {
  const variables = [
    { name: 'isDone', type: 'boolean' },
    { name: 'paths', type: 'array' },
  ];
  const { issuesByFile } = await readFolder(
    flow({
      'workflow.yaml': workflow({ variables }),
      'activities/01-start.yaml': activity('start', parts),
    }),
  );
  return [...issuesByFile.values()]
    .flat()
    .filter(({ code }) => code === wanted)
    .map(({ severity, pointer }) => `${severity} ${pointer}`);
}

test('Evidence with a value from an earlier step of the same activity is reported', async () => {
  const fields = [
    { id: 'done', type: 'boolean' },
    { id: 'paths', type: 'list' },
  ];
  const look = { id: 'look', fields, sets: { isDone: 'done', paths: 'paths' } };
  const tests = { id: 'tests', check: 'test' };
  const scope = { id: 'scope', changes: { within: ['{{paths}}'] } };
  expect(await codesInActivity(look, { id: 'prove', evidence: [tests, scope] })).toEqual([
    'warning /steps/1/evidence/1',
  ]);
  expect(await codesInActivity(look, { id: 'prove', evidence: [tests] })).toEqual([]);
  // Values from a later step, or a value in the condition of the step, cause no problem.
  expect(await codesInActivity({ id: 'prove', evidence: [scope] }, look)).toEqual([]);
  expect(await codesInActivity(look, { id: 'prove', when: 'isDone == true', evidence: [tests] })).toEqual([]);
  expect(await codesInActivity({ ...look, evidence: [scope] })).toEqual([]);
});

test('Evidence about each item of a loop over steps is reported if it does not name the item', async () => {
  const about = (path: string): Promise<readonly string[]> =>
    findingsIn('no-effect', {
      loops: [
        {
          id: 'each-page',
          name: 'Each page',
          type: 'forEach',
          over: 'paths',
          variable: 'page',
          steps: [{ id: 'write', evidence: [{ id: 'written', file: { path } }] }],
        },
      ],
    });
  expect(await about('docs/{{page}}.md')).toEqual(['warning /loops/0/steps/0/evidence/0']);
  expect(await about('docs/{{ page.name }}.md')).toEqual(['warning /loops/0/steps/0/evidence/0']);
  expect(await about('docs/all.md')).toEqual([]);
});
