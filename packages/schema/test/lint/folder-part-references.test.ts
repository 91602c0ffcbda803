import { describe, expect, test } from 'vitest';
import { activity, flow, readFolder, skill, issueLines, workflow } from '../support/folders.ts';
import { messages } from '../../src/messages/workflow.ts';

const missing = (kind: 'operation' | 'resource' | 'skill', name: string): string =>
  messages.unknownReference(kind, name, undefined).message;

describe('references to skills, operations and resources', () => {
  const parts = {
    'skills/01-plan.yaml': skill('plan', {
      operations: { draw: { description: 'Draw', resources: ['01', 'none'] } },
      rules: { short: 'Be short' },
      errors: { lost: { cause: 'No map' } },
      resources: ['1', 'map', '01-map', 'resources/01-map.md', 'meta/00', 'meta/09'],
    }),
    'resources/01-map.md': 'Map',
  };
  const meta = {
    'workflow.yaml': workflow({ id: 'meta' }),
    'skills/01-common.yaml': skill('common', { rules: { calm: 'Be calm' } }),
    'resources/00-guide.md': 'Guide',
  };
  const lender = {
    'workflow.yaml': workflow({ id: 'lender' }),
    'activities/01-lent.yaml': activity('lent', {
      skills: { primary: 'special' },
      operations: ['special::cut', 'plan::draw', 'none::none'],
    }),
    'skills/01-special.yaml': skill('special', { operations: { cut: { description: 'Cut' } } }),
  };
  const others = { meta, lender };

  test('are looked up in the workflow, in meta, or in the workflow that they name', async () => {
    const start = activity('start', {
      skills: { primary: 'plan', supporting: ['common', 'lender/special', 'special'] },
      operations: [
        'plan::draw',
        'plan::short',
        'plan::lost',
        'common::calm',
        'meta/common::calm',
        'lender/common::calm',
        'plan::none',
        'special::cut',
      ],
      steps: [{ id: 'a', skill: 'none' }],
      loops: [{ id: 'l', name: 'L', type: 'while', steps: [{ id: 'b', skill: 'none' }] }],
    });
    const reading = await readFolder(flow({ ...parts, 'activities/01-start.yaml': start }), { others });
    expect(issueLines(reading)).toEqual([
      `activities/01-start.yaml warning /skills/supporting/2 ${missing('skill', 'special')}`,
      `activities/01-start.yaml warning /operations/6 ${missing('operation', 'plan::none')}`,
      `activities/01-start.yaml warning /operations/7 ${missing('operation', 'special::cut')}`,
      `activities/01-start.yaml warning /steps/0/skill ${missing('skill', 'none')}`,
      `activities/01-start.yaml warning /loops/0/steps/0/skill ${missing('skill', 'none')}`,
      `skills/01-plan.yaml warning /operations/draw/resources/1 ${missing('resource', 'none')}`,
      `skills/01-plan.yaml warning /resources/5 ${missing('resource', 'meta/09')}`,
    ]);
  });

  test('to resources are looked up as in a session', async () => {
    const resources = [
      'guide',
      '00',
      'meta/00',
      'meta/resources/00-guide.md',
      'lender/guide',
      'a/b/map',
      'map/',
    ];
    const reading = await readFolder(flow({ 'skills/01-plan.yaml': skill('plan', { resources }) }), {
      others,
    });
    expect(issueLines(reading)).toEqual(
      [1, 4, 5, 6].map(
        (at) => `skills/01-plan.yaml warning /resources/${at} ${missing('resource', resources[at] ?? '')}`,
      ),
    );
  });

  test('of a borrowed activity are looked up first in the lending workflow', async () => {
    const reading = await readFolder(
      flow({
        ...parts,
        'skills/01-plan.yaml': skill('plan', { operations: { draw: { description: 'Draw' } } }),
        'workflow.yaml': workflow({ activities: ['lender/01-lent'] }),
        'activities/01-start.yaml': activity('start', { transitions: [{ to: 'lent' }] }),
      }),
      { others },
    );
    expect(issueLines(reading)).toEqual([
      `workflow.yaml warning /activities/0 ${messages.inBorrowedActivity('lent', missing('operation', 'none::none'))}`,
    ]);
  });

  test('get the full name as a suggestion if a lending workflow has the part', async () => {
    const start = activity('start', {
      steps: [{ id: 'a', skill: 'special' }],
      operations: ['special::cut', 'none::none'],
      transitions: [{ to: 'lent' }],
    });
    const { issuesByFile } = await readFolder(
      flow({
        'workflow.yaml': workflow({ activities: ['lender/01-lent'] }),
        'activities/01-start.yaml': start,
      }),
      { others },
    );
    expect(issuesByFile.get('activities/01-start.yaml')?.map(({ suggestion }) => suggestion)).toEqual([
      messages.unknownReference('skill', 'special', 'lender').suggestion,
      messages.unknownReference('operation', 'special::cut', 'lender').suggestion,
      messages.unknownReference('operation', 'none::none', undefined).suggestion,
    ]);
  });

  test('in the workflow file are checked too', async () => {
    const more = {
      skills: { primary: 'none' },
      operations: ['none::a'],
      operationsFor: { orchestrator: ['none::b'], worker: ['common::calm'] },
      modes: [{ id: 'fast', name: 'Fast', activationVariable: 'fast', resource: 'resources/02-none.md' }],
    };
    expect(issueLines(await readFolder(flow({ 'workflow.yaml': workflow(more) }), { others }))).toEqual([
      `workflow.yaml warning /skills/primary ${missing('skill', 'none')}`,
      `workflow.yaml warning /operations/0 ${missing('operation', 'none::a')}`,
      `workflow.yaml warning /operationsFor/orchestrator/0 ${missing('operation', 'none::b')}`,
      `workflow.yaml warning /modes/0/resource ${missing('resource', 'resources/02-none.md')}`,
    ]);
  });

  test('do not find inherited properties', async () => {
    const start = activity('start', { operations: ['plan::constructor', 'plan::__proto__'] });
    const plan = skill('plan', { rules: { short: 'Be short' } });
    const reading = await readFolder(
      flow({ 'activities/01-start.yaml': start, 'skills/01-plan.yaml': plan }),
      { others },
    );
    expect(issueLines(reading)).toHaveLength(2);
  });

  test('are not checked without access to other workflows', async () => {
    expect(
      issueLines(
        await readFolder(
          flow({ 'activities/01-start.yaml': activity('start', { skills: { primary: 'none' } }) }),
        ),
      ),
    ).toEqual([]);
  });
});
