import { describe, expect, test } from 'vitest';
import { activity, flow, readFolder, issueLines, workflow } from '../support/folders.ts';

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
      expect(issueLines(reading)).toEqual([
        "workflow.yaml warning /activities/0 Borrowed activity 'sort': A transition leads to activity 'elsewhere', but the workflow has no such activity",
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
      "workflow.yaml warning /activities/3 Activity '02-b.toon' is listed twice",
    );
  });

  test.each([
    ['09-none', 'is listed, but there is no such file'],
    ['nowhere/02-sort', "can't be borrowed: workflow 'nowhere' was not found"],
    ['harvest/09-none', "can't be borrowed: workflow 'harvest' has no such file"],
    [
      'harvest/03-broken',
      "can't be borrowed because its file has an error: Missing required property 'version'",
    ],
    ['a/b/c', 'is not a path to a file of a workflow'],
  ])('reports an error for %s, and the rest is served', async (reference, reason) => {
    const reading = await readFolder(flow({ 'workflow.yaml': workflow({ activities: [reference] }) }), {
      others,
    });
    expect(issueLines(reading)).toEqual([
      `workflow.yaml error! /activities/0 Activity '${reference}' ${reason}`,
    ]);
    expect(reading.workflow?.problems).toMatchObject([
      { kind: 'activity', file: reference, issues: [{ pointer: '/activities/0' }] },
    ]);
    expect(reading.workflow?.activities).toHaveLength(1);
  });

  test('cannot borrow from a workflow that is not found', async () => {
    const reading = await readFolder(
      flow({ 'workflow.yaml': workflow({ activities: ['harvest/02-sort'] }) }),
    );
    expect(issueLines(reading)).toEqual([
      "workflow.yaml error! /activities/0 Activity 'harvest/02-sort' can't be borrowed: workflow 'harvest' was not found",
    ]);
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
    expect(issueLines(reading)).toContain("workflow.yaml error! /activities/0 Borrowed activity 'sort': No");
    expect(reading.workflow?.activities.map(({ id }) => id)).toEqual(['start']);
    expect(reading.workflow?.problems).toMatchObject([{ id: 'sort', file }]);
  });
});
