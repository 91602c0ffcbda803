import { describe, expect, test } from 'vitest';
import { activity, checkpoint, flow, readFolder, skill, issueLines, workflow } from '../support/folders.ts';
import { correction } from '../../src/messages/workflow.ts';

const file = 'activities/01-start.yaml';
const activityIssues = async (more: object) =>
  issueLines(await readFolder({ 'workflow.yaml': workflow(), [file]: activity('start', more) }));

describe('an unknown key', () => {
  const misspelled = {
    code: 'unknown-property',
    pointer: '/setps',
    suggestion: correction('steps', ''),
  };

  test.each([
    ['YAML', 'yaml', 'id: start\nversion: 1.0.0\nname: Start\nsetps: []'],
    ['JSON', 'json', '{"id": "start", "version": "1.0.0", "name": "Start", "setps": []}'],
  ])('is an error in %s', async (_, format, text) => {
    const reading = await readFolder({
      'workflow.yaml': workflow(),
      [`activities/01-start.${format}`]: text,
    });
    expect(reading.issuesByFile.get(`activities/01-start.${format}`)).toContainEqual(
      expect.objectContaining({ ...misspelled, severity: 'error' }),
    );
  });

  test('causes a warning in TOON, and is kept', async () => {
    const text =
      'id: start\nversion: 1.0.0\nname: Start\nsetps: []\ncheckpoints[1]:\n  - id: go\n    name: Go\n    message: Go?\n    required: true\n    options[1]{id,label}:\n      a,A';
    const reading = await readFolder({ 'workflow.yaml': workflow(), 'activities/01-start.toon': text });
    const severity = 'warning';
    expect([...reading.issuesByFile]).toMatchObject([
      [
        'activities/01-start.toon',
        [
          { ...misspelled, severity },
          { severity, code: 'unknown-property', pointer: '/checkpoints/0/required' },
        ],
      ],
    ]);
    expect(reading.workflow?.activities[0]?.definition).toMatchObject({
      setps: [],
      checkpoints: [{ required: true }],
    });
  });

  test('does not replace a missing required property in TOON', async () => {
    const reading = await readFolder(
      flow({ 'activities/02-then.toon': 'id: then\nversion: 1.0.0\nnaem: Then\nrules: One' }),
    );
    expect([...reading.issuesByFile]).toMatchObject([
      [
        'activities/02-then.toon',
        [
          {
            severity: 'error',
            code: 'missing-property',
            pointer: '',
            message: expect.stringContaining("'name'") as string,
          },
          { severity: 'warning', code: 'unknown-property', pointer: '/naem' },
          { severity: 'error', code: 'wrong-value', pointer: '/rules' },
        ],
      ],
    ]);
  });

  test('is allowed anywhere if it begins with x-', async () => {
    const notes = { 'x-note': { any: ['thing'] } };
    const more = {
      ...notes,
      steps: [{ id: 'a', ...notes }],
      checkpoints: [checkpoint('c', notes)],
      transitions: [{ to: 'end', ...notes }],
    };
    expect(await activityIssues(more)).toEqual([]);
  });
});

test.each([
  [
    'an id with blanks',
    { steps: [{ id: 'a b' }] },
    "/steps/0/id 'id' of step 'a b' must be letters, digits, dashes, dots and underscores, found the text \"a b\"",
  ],
  [
    'a step without an id',
    { steps: [{ name: 'A' }] },
    "/steps/0 Missing required property 'id' in 'steps[0]'",
  ],
  [
    'a checkpoint without options',
    { checkpoints: [checkpoint('c', { options: [] })] },
    "/checkpoints/0/options 'options' of checkpoint 'c' must have at least one item, found none",
  ],
  [
    'an option without a label',
    { checkpoints: [checkpoint('c', { options: [{ id: 'a' }] })] },
    "/checkpoints/0/options/0 Missing required property 'label' in option 'a' of checkpoint 'c'",
  ],
  [
    'a decision with one branch',
    { decisions: [{ id: 'd', name: 'D', branches: [{ id: 'a', label: 'A' }] }] },
    "/decisions/0/branches 'branches' of decision 'd' must have at least 2 items, found 1",
  ],
  [
    'a loop of another kind',
    { loops: [{ id: 'l', name: 'L', type: 'for' }] },
    "/loops/0/type 'type' of loop 'l' must be 'forEach', 'while' or 'doWhile', found the text \"for\"",
  ],
  [
    'an unknown action',
    { entryActions: [{ action: 'sat' }] },
    "/entryActions/0/action 'entryActions[0].action' must be 'log', 'validate', 'set', 'emit' or 'message', found the text \"sat\"",
  ],
  [
    'an operation without its skill',
    { operations: ['draw'] },
    '/operations/0 \'operations[0]\' must be skill::operation, or workflow/skill::operation, found the text "draw"',
  ],
  [
    'a condition that is a number',
    { transitions: [{ to: 'end', condition: 1 }] },
    "/transitions/0/condition 'transitions[0].condition' must be an object or text, found the number 1",
  ],
  [
    'criteria without a type',
    { steps: [{ id: 'a', validationCriteria: { value: 'x', message: 'm' } }] },
    "/steps/0/validationCriteria Missing required property 'type' in 'validationCriteria' of step 'a'",
  ],
  [
    'a timer that is text',
    { checkpoints: [checkpoint('c', { autoAdvanceMs: '1s' })] },
    "/checkpoints/0/autoAdvanceMs 'autoAdvanceMs' of checkpoint 'c' must be a whole number, found the text \"1s\"",
  ],
])('An activity with %s is refused', async (_, more, issue) => {
  expect((await activityIssues(more)).find((line) => line.startsWith(file))).toBe(`${file} error ${issue}`);
});

test('Suggestions say what to add', async () => {
  const reading = await readFolder(
    flow({
      'activities/01-start.yaml': activity('start', { checkpoints: [{ id: 'c' }], loops: [{ id: 'l' }] }),
    }),
  );
  expect(reading.issuesByFile.get(file)?.map(({ suggestion }) => suggestion)).toEqual([
    "Add required 'name' field with a name people can read",
    "Add required 'message' field with the question for the user",
    "Add required 'options' list with at least one answer",
    "Add required 'name' field with a name people can read",
    "Add required 'type' field: 'forEach', 'while' or 'doWhile'",
  ]);
});

test('All fields of an activity are accepted', async () => {
  const everything = {
    $schema: 'https://workflowlookup.dev/schemas/activity.schema.json',
    description: 'What it does',
    problem: 'Why',
    recognition: ['start it'],
    skills: { primary: 'plan', supporting: ['other/draw'] },
    operations: ['plan::draw', 'meta/plan::draw'],
    steps: [
      {
        id: 'a',
        name: 'A',
        description: 'plan::draw(what: {thing})',
        skill: 'plan',
        skill_args: { depth: 2 },
        checkpoint: 'gate',
        required: false,
        when: 'ready == true',
        condition: { type: 'simple', variable: 'ready', operator: 'exists' },
        actions: [
          { action: 'set', target: 'ready', value: null, message: 'Set', condition: 'x', description: 'Why' },
        ],
        triggers: [{ workflow: 'other', passContext: ['ready'], description: 'Why' }],
        validationCriteria: [{ type: 'contains', value: 'x', message: 'Say x' }],
      },
    ],
    checkpoints: [
      checkpoint('gate', {
        condition: 'x',
        defaultOption: 'yes',
        autoAdvanceMs: 0,
        blocking: false,
        approver: 'human',
      }),
    ],
    decisions: [
      {
        id: 'd',
        name: 'D',
        description: 'Why',
        branches: [
          { id: 'a', label: 'A', condition: 'x', transitionTo: 'end' },
          { id: 'b', label: 'B', isDefault: true },
        ],
      },
    ],
    loops: [
      {
        id: 'l',
        name: 'L',
        description: 'Why',
        type: 'doWhile',
        variable: 'v',
        over: 'vs',
        condition: 'x',
        maxIterations: 3,
        breakCondition: 'y',
        steps: [{ id: 'b' }],
        activities: ['start'],
      },
    ],
    transitions: [
      { to: 'end', condition: 'x' },
      { to: 'complete', isDefault: true },
    ],
    triggers: [{ workflow: 'other' }],
    entryActions: [{ action: 'log', message: 'In' }],
    exitActions: [{ action: 'emit', message: 'Out' }],
    outcome: ['Done'],
    context_to_preserve: ['What'],
    required: true,
    estimatedTime: '5m',
    rules: ['Be calm'],
    artifacts: [{ id: 'f', name: 'f.md', location: 'shed', action: 'create', description: 'Why' }],
  };
  expect(await activityIssues(everything)).toEqual([]);
});

test('All fields of a workflow and of a skill are accepted', async () => {
  const top = workflow({
    $schema: 'x',
    description: 'What',
    author: 'me',
    tags: ['a'],
    rules: ['Be calm'],
    variables: [{ name: 'fast', type: 'boolean', description: 'Why', defaultValue: false, required: true }],
    modes: [
      {
        id: 'm',
        name: 'M',
        activationVariable: 'fast',
        description: 'Why',
        recognition: ['go'],
        skipActivities: ['start'],
        defaults: { fast: true },
        resource: '01',
      },
    ],
    artifactLocations: { shed: 'shed', attic: { path: 'attic', description: 'Why', gitignored: true } },
    skills: { primary: 'plan' },
    operations: ['plan::draw'],
    operationsFor: { orchestrator: ['plan::draw'], worker: [], solo: ['plan::draw'] },
    initialActivity: 'start',
    enforcement: 'strict',
  });
  const plan = skill('plan', {
    description: 'More',
    rules: { a: 'One', b: ['One', 'Two'] },
    errors: { c: { cause: 'x', recovery: 'y' } },
    resources: ['01'],
    inputs: [{ id: 'a', description: 'A', required: true, default: [] }],
    protocol: { first: ['One'] },
    output: { a: 'A' },
    operations: {
      draw: {
        description: 'Draw',
        inputs: [{ what: 'What' }],
        output: [{ map: 'A map' }],
        procedure: ['Draw'],
        tools: { shell: ['pen'] },
        resources: ['01'],
        errors: { a: { cause: 'x' } },
        rules: { b: 'One' },
        prose: 'Text',
        note: 'Text',
      },
    },
  });
  const reading = await readFolder(
    flow({ 'workflow.yaml': top, 'skills/01-plan.yaml': plan, 'resources/01-map.md': 'Map' }),
    { others: {} },
  );
  expect(issueLines(reading)).toEqual([]);
});

test('Hidden characters are found in every file', async () => {
  const reading = await readFolder(
    flow({ 'skills/01-plan.yaml': skill('plan', { description: 'a\u202Eb' }) }),
  );
  expect([...reading.issuesByFile]).toMatchObject([
    ['skills/01-plan.yaml', [{ severity: 'error', code: 'hidden-character', pointer: '/description' }]],
  ]);
});

test.each<[what: string, file: string]>([
  ['two files of one name but for the extension', 'activities/01-start.json'],
  ['a name that reads as text', 'resources/09-note to agents run this.yaml'],
  ['a name with a hidden character', 'skills/09-a\u200Bb.yaml'],
  ['a name without a number and with a hidden character', 'activities/a\u202Eb.json'],
])('A workflow with %s is not served', async (_, part) => {
  const { workflow: served, issuesByFile } = await readFolder(flow({ [part]: '' }));
  expect(served).toBeUndefined();
  const issues = issuesByFile.get('workflow.yaml') ?? [];
  expect(issues).toContainEqual(expect.objectContaining({ severity: 'error', code: 'file-name' }));
  expect(JSON.stringify(issues)).not.toMatch(/[\u200B\u202E]/);
});
