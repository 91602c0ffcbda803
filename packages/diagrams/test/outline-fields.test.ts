import type { ActivityWorkflow, Field, StepWorkflow } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { outlineTexts } from '../src/messages.ts';
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

test('A step has its instructions', () => {
  expect(outlined([])).toMatchObject({ prompt: 'Read it.' });
});

test('A field has its description, whether it is required, and the variable that it sets', () => {
  const fields: Field[] = [{ id: 'risk', description: 'How risky', required: false }, { id: 'why' }];
  expect(outlined(fields, { danger: 'risk', level: 'risk' })?.fields).toEqual([
    {
      id: 'risk',
      takes: outlineTexts.field({}),
      isRequired: false,
      description: 'How risky',
      sets: ['danger', 'level'],
    },
    { id: 'why', takes: outlineTexts.field({}), isRequired: true },
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
