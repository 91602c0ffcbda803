import { initialActivityOf } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import { activity, flow, places, readFolder, skill, issueLines, workflow } from '../support/folders.ts';
import { fileMessages } from '../../src/messages/files.ts';
import { messages } from '../../src/messages/workflow.ts';

test('The parts of a folder are read in the order of their numbers', async () => {
  const {
    workflow: read,
    id,
    issuesByFile,
  } = await readFolder({
    'workflow.yaml': workflow(),
    'activities/10-last.yaml': activity('last'),
    'activities/2-start.json': activity('start', { transitions: [{ to: 'last' }] }),
    'skills/01-plan.toon': 'id: plan\nversion: 1.0.0\ncapability: Plans',
    'resources/7-map.md': '# Map',
    'resources/007-other.md': '# Other',
  });
  expect([...issuesByFile]).toEqual([]);
  expect(id).toBe('a-flow');
  expect(read).toMatchObject({
    kind: 'activities',
    id: 'a-flow',
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
    definition: workflow(),
    format: 'yaml',
    activities: [
      { id: 'start', index: '2', file: 'activities/2-start.json', format: 'json', pointer: '' },
      { id: 'last', index: '10', file: 'activities/10-last.yaml', format: 'yaml' },
    ],
    skills: [{ id: 'plan', index: '01', text: 'id: plan\nversion: 1.0.0\ncapability: Plans' }],
    resources: [
      { name: 'other', index: '007' },
      { name: 'map', index: '7' },
    ],
    problems: [],
  });
});

test('Files that are not part of a workflow are ignored', async () => {
  const readme = '# Read me';
  const reading = await readFolder(
    flow({
      'README.md': readme,
      'activities/README.md': readme,
      'activities/notes.txt': readme,
      'activities/01-notes.md': readme,
      'skills/readme.md': readme,
      'resources/Readme.md': readme,
      'drafts/01-x.yaml': 'x',
      'activities/old/01-x.yaml': 'x',
      'other.yaml': 'x',
    }),
  );
  expect(issueLines(reading)).toEqual([]);
  expect(reading.workflow).toMatchObject({ activities: [{ id: 'start' }], skills: [], resources: [] });
});

test('The definitions are frozen', async () => {
  const { workflow: read } = await readFolder(
    flow({ 'activities/01-start.yaml': activity('start', { rules: ['One'] }) }),
  );
  const [part] = read?.activities ?? [];
  for (const value of [
    read,
    read?.activities,
    read?.problems,
    part,
    part?.definition,
    part?.definition.rules,
  ]) {
    expect(Object.isFrozen(value)).toBe(true);
  }
});

describe('the workflow file', () => {
  test('is reported if it is missing', async () => {
    const reading = await readFolder({ 'activities/01-start.yaml': activity('start') });
    expect(reading).toMatchObject({ id: 'a-flow' });
    expect(reading.workflow).toBeUndefined();
    expect(issueLines(reading)).toEqual([`workflow.yaml error  ${fileMessages.noWorkflowFile().message}`]);
  });

  test('is reported if there are several', async () => {
    const reading = await readFolder(flow({ 'workflow.toon': 'id: other', 'workflow.yml': 'id: third' }));
    expect(reading.workflow?.id).toBe('a-flow');
    const { message } = fileMessages.secondWorkflowFile('workflow.yaml');
    expect(issueLines(reading)).toEqual([
      `workflow.yml error!  ${message}`,
      `workflow.toon error!  ${message}`,
    ]);
  });

  test('prevents the workflow from being served if it is broken, and the parts are read anyway', async () => {
    const reading = await readFolder(
      flow({ 'workflow.yaml': { id: 'other' }, 'skills/01-plan.yaml': 'id: [' }),
    );
    expect(reading.workflow).toBeUndefined();
    expect(reading.id).toBe('other');
    const [version, title] = ["'version'", "'title'"].map((name) => expect.stringContaining(name) as string);
    expect([...reading.issuesByFile]).toMatchObject([
      [
        'workflow.yaml',
        [
          { severity: 'error', code: 'missing-property', pointer: '', message: version },
          { severity: 'error', code: 'missing-property', pointer: '', message: title },
        ],
      ],
      ['skills/01-plan.yaml', [{ severity: 'error', code: 'syntax-error' }]],
    ]);
  });

  test('has the name of the folder as its id if it does not set one', async () => {
    const { id } = await readFolder({ 'workflow.yaml': 'title: [' });
    expect(id).toBe('a-flow');
  });

  test('is refused without activities', async () => {
    const reading = await readFolder({ 'workflow.yaml': workflow() });
    expect(reading.workflow).toBeUndefined();
    expect(issueLines(reading)).toEqual([`workflow.yaml error  ${messages.noActivity().message}`]);
    const broken = await readFolder({ 'workflow.yaml': workflow(), 'activities/01-a.yaml': 'x' });
    expect(issueLines(broken)).toContain(`workflow.yaml error  ${messages.onlyBrokenActivities().message}`);
  });

  test('causes a warning if its id is not the name of the folder', async () => {
    const reading = await readFolder(flow({ 'workflow.yaml': workflow({ id: 'other' }) }));
    expect(issueLines(reading)).toEqual([
      `workflow.yaml warning /id ${fileMessages.folderNamedOtherwise('other', 'a-flow').message}`,
    ]);
  });

  test('can contain all activities', async () => {
    const activities = [activity('start', { transitions: [{ to: 'then' }] }), activity('then')];
    const { workflow: read, issuesByFile } = await readFolder({ 'workflow.yaml': workflow({ activities }) });
    expect(issuesByFile.size).toBe(0);
    expect(read?.activities).toMatchObject([
      {
        id: 'start',
        index: '01',
        file: 'workflow.yaml',
        pointer: '/activities/0',
        text: JSON.stringify(activities[0]),
      },
      { id: 'then', index: '02', pointer: '/activities/1' },
    ]);
  });

  test('is broken if an activity in it is broken', async () => {
    const reading = await readFolder({ 'workflow.yaml': workflow({ activities: [{ id: 'start' }] }) });
    expect(reading.workflow).toBeUndefined();
    const missing = { severity: 'error', code: 'missing-property', pointer: '/activities/0' };
    expect([...reading.issuesByFile]).toMatchObject([
      [
        'workflow.yaml',
        [
          { ...missing, message: expect.stringContaining("'version'") as string },
          { ...missing, message: expect.stringContaining("'name'") as string },
        ],
      ],
    ]);
  });
});

describe('a part of a workflow', () => {
  test('is left out and reported if it is broken', async () => {
    const reading = await readFolder(
      flow({
        'activities/02-then.yaml': { id: 'then', version: 'one', name: 'Then' },
        'skills/01-plan.toon': 'id: plan\nversion: 1.0.0\ncapability: |\n  Text',
        'resources/01-data.json': '{',
      }),
    );
    expect(reading.workflow).toMatchObject({
      activities: [{ id: 'start' }],
      skills: [],
      resources: [],
      problems: [
        {
          kind: 'activity',
          id: 'then',
          file: 'activities/02-then.yaml',
          issues: [{ pointer: '/version', line: 3 }],
        },
        {
          kind: 'skill',
          id: 'plan',
          file: 'skills/01-plan.toon',
          issues: [{ pointer: '/capability', line: 3 }],
        },
        { kind: 'resource', id: 'data', file: 'resources/01-data.json', issues: [{ line: 1 }] },
      ],
    });
  });

  test('is left out if the name of its file has no number', async () => {
    const reading = await readFolder(
      flow({ 'activities/loose.yaml': activity('loose'), 'resources/map.md': 'x' }),
    );
    expect(issueLines(reading)).toEqual([
      `activities/loose.yaml error  ${fileMessages.fileWithoutNumber('activities/', 'loose.yaml').message}`,
      `resources/map.md error  ${fileMessages.fileWithoutNumber('resources/', 'map.md').message}`,
    ]);
    expect(reading.workflow?.problems).toMatchObject([
      { kind: 'activity', id: 'loose' },
      { kind: 'resource', id: 'map' },
    ]);
  });

  test('is left out if a check refuses it', async () => {
    const reading = await readFolder(flow({ 'activities/02-then.yaml': activity('then') }), {
      checks: [
        () => [
          {
            file: 'activities/02-then.yaml',
            severity: 'error',
            code: 'x-test',
            pointer: '/name',
            message: 'No',
          },
        ],
        () => [
          {
            file: 'activities/01-start.yaml',
            severity: 'warning',
            code: 'x-test',
            pointer: '/name',
            message: 'Hm',
          },
        ],
      ],
    });
    expect(reading.workflow?.activities.map(({ id }) => id)).toEqual(['start']);
    expect(reading.workflow?.problems).toMatchObject([
      {
        id: 'then',
        issues: [
          { code: 'unreachable', pointer: '/id' },
          { code: 'x-test', message: 'No', line: 4, column: 11 },
        ],
      },
    ]);
    expect(issueLines(reading)).toContain('activities/01-start.yaml warning /name Hm');
  });

  test('is not reported again where it is referred to', async () => {
    const start = activity('start', { skills: { primary: 'plan' }, transitions: [{ to: 'then' }] });
    const reading = await readFolder(
      flow({
        'workflow.yaml': workflow({ initialActivity: 'then' }),
        'activities/01-start.yaml': start,
        'activities/02-then.yaml': 'id: [',
        'skills/01-plan.yaml': 'id: [',
      }),
      { others: {} },
    );
    expect([...reading.issuesByFile.keys()]).toEqual(['activities/02-then.yaml', 'skills/01-plan.yaml']);
    expect(reading.workflow).toBeDefined();
  });
});

test('A file whose name differs from the id of its part causes a warning', async () => {
  const reading = await readFolder(flow({ 'skills/01-plan.yaml': skill('plans') }));
  expect(issueLines(reading)).toEqual([
    `skills/01-plan.yaml warning /id ${fileMessages.fileNamedOtherwise('plans', 'plan').message}`,
  ]);
  expect(reading.workflow?.skills[0]?.id).toBe('plans');
});

test('A workflow starts with its first activity unless it names another', async () => {
  const then = { 'activities/02-then.yaml': activity('then') };
  const first = await readFolder(flow(then));
  const named = await readFolder(flow({ ...then, 'workflow.yaml': workflow({ initialActivity: 'then' }) }));
  expect([first, named].map(({ workflow: read }) => read && initialActivityOf(read))).toEqual([
    'start',
    'then',
  ]);
});

test('Issues have the line and column in their file', async () => {
  const reading = await readFolder(
    flow({
      'activities/01-start.yaml': 'id: start\nversion: 1.0.0\nname: Start\nstepps: []\nsteps:\n  - id: a b\n',
    }),
  );
  expect(places(reading)).toContain('activities/01-start.yaml 4:1');
  expect(places(reading)).toContain('activities/01-start.yaml 6:9');
});
