import { describe, expect, test } from 'vitest';
import { activity, flow, readFolder, issueLines, workflow } from '../support/folders.ts';
import { fileMessages } from '../../src/messages/files.ts';
import { messages } from '../../src/messages/workflow.ts';

describe('the list of activities', () => {
  const harvest = {
    'workflow.yaml': workflow({ id: 'harvest' }),
    'activities/02-sort.yaml': activity('sort', { transitions: [{ to: 'elsewhere' }] }),
    'activities/03-broken.yaml': 'id: broken',
  };
  const others = { harvest };

  test.each(['harvest/activities/02-sort.yaml', 'harvest/activities/02-sort', 'harvest/02-sort.toon'])(
    'can borrow an activity as %s',
    async (reference) => {
      const files = flow({
        'workflow.yaml': workflow({ activities: [reference] }),
        'activities/01-start.yaml': activity('start', { transitions: [{ to: 'sort' }] }),
      });
      const reading = await readFolder(files, { others });
      expect(reading.workflow?.activities).toMatchObject([
        { id: 'start' },
        { id: 'sort', index: '02', lender: 'harvest', file: 'harvest/activities/02-sort.yaml' },
      ]);
      const by = messages.transitionLeadsTo;
      const { message } = messages.unknownActivity({ by, id: 'elsewhere', mayEnd: true }, undefined);
      expect(issueLines(reading)).toEqual([
        `workflow.yaml warning /activities/0 ${messages.inBorrowedActivity('sort', message)}`,
      ]);
    },
  );

  test('decides the order of activities, after the files that it does not list', async () => {
    const activities = ['03-c', 'activities/01-a.yaml', './02-b', '02-b.toon'];
    const reading = await readFolder({
      'workflow.yaml': workflow({ activities }),
      ...Object.fromEntries(
        ['01-a', '02-b', '03-c', '04-d'].map((name) => [`activities/${name}.yaml`, activity(name.slice(3))]),
      ),
    });
    expect(reading.workflow?.activities.map(({ id }) => id)).toEqual(['d', 'c', 'a', 'b']);
    expect(issueLines(reading)).toContain(
      `workflow.yaml warning /activities/3 ${fileMessages.activityListedTwice('02-b.toon').message}`,
    );
  });

  test.each([
    ['09-none', fileMessages.missingActivityFile('09-none', '09-none')],
    ['nowhere/02-sort', fileMessages.borrowedWorkflowMissing('nowhere/02-sort', 'nowhere')],
    ['harvest/09-none', fileMessages.borrowedFileMissing('harvest/09-none', 'harvest')],
    [
      'harvest/03-broken',
      fileMessages.borrowedFileBroken('harvest/03-broken', "Missing required property 'version'"),
    ],
    ['a/b/c', fileMessages.malformedEntry('a/b/c')],
  ])('reports an error for %s, and the rest is served', async (reference, { message }) => {
    const reading = await readFolder(flow({ 'workflow.yaml': workflow({ activities: [reference] }) }), {
      others,
    });
    expect(issueLines(reading)).toEqual([`workflow.yaml error! /activities/0 ${message}`]);
    expect(reading.workflow?.problems).toMatchObject([
      { kind: 'activity', file: reference, issues: [{ pointer: '/activities/0' }] },
    ]);
    expect(reading.workflow?.activities).toHaveLength(1);
  });

  test('cannot borrow from a workflow that is not found', async () => {
    const reading = await readFolder(
      flow({ 'workflow.yaml': workflow({ activities: ['harvest/02-sort'] }) }),
    );
    const { message } = fileMessages.borrowedWorkflowMissing('harvest/02-sort', 'harvest');
    expect(issueLines(reading)).toEqual([`workflow.yaml error! /activities/0 ${message}`]);
  });

  test('leaves out a borrowed activity that a check refuses, and reports it at the list entry', async () => {
    const file = 'harvest/activities/02-sort.yaml';
    const reading = await readFolder(
      flow({ 'workflow.yaml': workflow({ activities: ['harvest/02-sort'] }) }),
      {
        others,
        checks: [() => [{ file, severity: 'error', code: 'x-test', pointer: '/name', message: 'No' }]],
      },
    );
    expect(issueLines(reading)).toContain(
      `workflow.yaml error! /activities/0 ${messages.inBorrowedActivity('sort', 'No')}`,
    );
    expect(reading.workflow?.activities.map(({ id }) => id)).toEqual(['start']);
    expect(reading.workflow?.problems).toMatchObject([{ id: 'sort', file }]);
  });
});
