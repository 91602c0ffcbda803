import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createHost } from '../../src/index.ts';
import { tempState } from '../support/temp-state.ts';

const file = (id: string, ...more: readonly string[]): string =>
  [`id: ${id}`, 'version: 1.0.0', ...more, ''].join('\n');

/** The files of three sources, by their path in the folder of the test. */
const files = {
  'low/lender/workflow.yaml': file('lender', 'title: Low lender'),
  'low/lender/activities/01-press.yaml': file('press', 'name: Press low'),
  'low/common/workflow.yaml': file('common', 'title: Common'),
  'low/common/activities/01-label.yaml': file('label', 'name: Label'),
  'high/lender/workflow.yaml': file('lender', 'title: High lender'),
  'high/lender/activities/01-press.yaml': file('press', 'name: Press high'),
  'mine/cider/workflow.yaml': file(
    'cider',
    'title: Cider',
    'activities: [lender/01-press, common/activities/01-label, lender/09-none]',
  ),
  'mine/cider/activities/01-pick.yaml': file('pick', 'name: Pick', 'steps: [{id: sort, when: "a ==="}]'),
};

function hostOver(...names: readonly string[]) {
  const root = tempState();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const directories = names.map((name) => join(root, name));
  return createHost({ includeBundled: false, includeUser: false, includeProject: false, directories });
}

test('An activity is borrowed from the source with the highest precedence that has the lending workflow', async () => {
  const { engine } = hostOver('low', 'high', 'mine');
  const cider = await engine.get('cider');
  expect(cider.kind === 'activities' && cider.activities.map(({ definition }) => definition.name)).toEqual([
    'Press high',
    'Label',
  ]);
  await engine.close();
});

test('A folder is read with every check, and is served with its problems', async () => {
  const { engine } = hostOver('mine', 'low');
  const { workflows, problems = [] } = await engine.list();
  expect(workflows.map(({ id, name }) => `${id}: ${name}`)).toEqual([
    'cider: Cider',
    'common: Common',
    'lender: Low lender',
  ]);
  const found = problems.map(({ file: at, issues }) => [at, issues[0]?.code]);
  expect(found).toEqual([
    ['cider/activities/01-pick.yaml', 'broken-condition'],
    ['cider/workflow.yaml', 'unknown-activity'],
  ]);
  expect(problems[1]?.issues[0]?.message).toContain("'lender/09-none'");
  await engine.close();
});
