import type { ActivityWorkflow, Field, StepWorkflow } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { outlineOf } from '../src/outline.ts';

function outlined(fields: readonly Field[], sets: Readonly<Record<string, string>> = {}) {
  const definition = {
    id: 'review',
    name: 'Review',
    description: 'Review a change',
    version: '1.0.0',
    steps: [{ id: 'read', title: 'Read', prompt: 'Read it.', fields, sets }],
  };
  return outlineOf({ kind: 'steps', id: 'review', digest: '', definition } as unknown as StepWorkflow)
    .steps?.[0];
}

test.each<[Omit<Field, 'id'>, string]>([
  [{}, 'text'],
  [{ min_length: 40 }, 'text of at least 40 characters'],
  [{ min_length: 2, max_length: 9 }, 'text of at least 2 and at most 9 characters'],
  [{ type: 'number', min: 0 }, 'a number of at least 0'],
  [{ type: 'boolean' }, 'true or false'],
  [{ type: 'choice', options: ['low', 'high'] }, 'one of low, high'],
  [{ type: 'list' }, 'a list, each a text'],
  [{ type: 'list', min_items: 1 }, 'a list of at least 1 item, each a text'],
  [{ type: 'list', items: 'number', min_items: 2 }, 'a list of at least 2 items, each a number'],
  [{ type: 'list', items: 'boolean' }, 'a list, each true or false'],
  [{ type: 'list', options: ['a', 'b'] }, 'a list, each one of a, b'],
  [{ type: 'list', items: { file: 'text', line: 'number' } }, 'a list, each with file, line'],
  [{ type: 'object', properties: { file: 'text' } }, 'an object with file'],
])('A field %j is described as %s', (field, takes) => {
  expect(outlined([{ id: 'found', ...field }])?.fields).toEqual([{ id: 'found', takes, isRequired: true }]);
});

test('A step has its instructions', () => {
  expect(outlined([])).toMatchObject({ prompt: 'Read it.' });
});

test('A field has its description, whether it is required, and the variable that it sets', () => {
  const fields: Field[] = [{ id: 'risk', description: 'How risky', required: false }, { id: 'why' }];
  expect(outlined(fields, { danger: 'risk', level: 'risk' })?.fields).toEqual([
    { id: 'risk', takes: 'text', isRequired: false, description: 'How risky', sets: ['danger', 'level'] },
    { id: 'why', takes: 'text', isRequired: true },
  ]);
});

test('An option says whether it can be undone', () => {
  const publish = { id: 'publish', label: 'Publish', irreversible: true };
  const checkpoint = {
    id: 'ask',
    name: 'Ask',
    message: 'Publish?',
    options: [publish, { id: 'no', label: 'No' }],
  };
  const definition = {
    id: 'release',
    title: 'Release',
    activities: [
      { id: 'ship', name: 'Ship', steps: [{ id: 'tag', name: 'Tag' }], checkpoints: [checkpoint] },
    ],
  };
  const workflow = {
    kind: 'activities',
    id: 'release',
    digest: '',
    definition,
    activities: [{ id: 'ship', definition: definition.activities[0] }],
  };
  const [ship] = outlineOf(workflow as unknown as ActivityWorkflow).activities ?? [];
  expect(ship?.checkpoints[0]?.options).toEqual([
    { id: 'publish', label: 'Publish', isIrreversible: true },
    { id: 'no', label: 'No' },
  ]);
});
