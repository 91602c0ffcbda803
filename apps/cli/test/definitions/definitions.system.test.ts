import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitionMessages } from '../../src/messages/definitions.ts';
import { bakery, flow } from '../support/definitions.ts';
import { openTestProject } from '../support/test-project.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

const plain = ['--no-bundled'];

describe('list', () => {
  test('prints the served workflows by id, with the source of each', async () => {
    const project = await openTestProject(entry, {
      'workflows/b.json': flow('b-flow', { name: '界 wide' }),
      'team/a.json': flow('a-flow', { name: 'A flow', tags: ['tea'] }),
      ...bakery,
    });
    const { code, out, err } = await project.run([
      'list',
      ...plain,
      '--workflows',
      'team',
      '--workflows',
      '.',
    ]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(`WORKFLOW  VERSION  SOURCE    NAME
a-flow    1.0.0    custom-2  A flow
b-flow    1.0.0    custom-2  界 wide
bakery    1.0.0    custom-2  Bakery
`);
  });

  test('prints JSON, and counts the refused definitions', async () => {
    const project = await openTestProject(entry, {
      'workflows/a.json': flow('a-flow', { tags: ['tea'], category: 'food' }),
      'workflows/b.json': '{',
    });
    const { code, out, err } = await project.run(['list', ...plain, '--json']);
    expect(code).toBe(0);
    expect(jsonOf('list', out)).toEqual({
      workflows: [
        {
          id: 'a-flow',
          name: 'A flow',
          description: 'For tests.',
          category: 'food',
          version: '1.0.0',
          tags: ['tea'],
          source: 'project',
          file: 'a.json',
        },
      ],
      refused: 1,
      untrusted: 0,
    });
    expect(err).toBe(`${definitionMessages.refused(1)}\n`);
  });

  test.each([[[]], [['--json']]])(
    'prints the same with and without an option if only bundled workflows are served: %j',
    async (form) => {
      const project = await openTestProject(entry);
      const short = await project.run(['list', ...form]);
      expect(short).toMatchObject({ code: 0, out: expect.stringContaining('bug-investigation') as string });
      expect(await project.run(['list', '--no-user', ...form])).toEqual(short);
    },
  );

  test('reports that there are no workflows', async () => {
    const project = await openTestProject(entry);
    expect(await project.run(['list', ...plain])).toEqual({ code: 0, out: 'No workflows.\n', err: '' });
  });

  test.each([
    [['list', '--workflow', 'x'], "unknown option '--workflow'"],
    [['show'], "missing required argument 'id'"],
    [['show', 'nowhere'], /'nowhere'.*\(WORKFLOW_NOT_FOUND\)/],
  ])('%j is refused', async (args, says) => {
    const project = await openTestProject(entry);
    const { code, out, err } = await project.run([...args, ...(args.includes('nowhere') ? plain : [])]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(says);
  });
});

const journey = {
  id: 'journey',
  name: 'Journey',
  description: 'Go somewhere.',
  version: '2.0.0',
  variables: [{ name: 'far', type: 'boolean', default: false, description: 'Whether it is far' }],
  steps: [
    {
      id: 'pack',
      title: 'Pack',
      prompt: 'Pack.',
      requireConfirmation: { var: 'far', equals: true },
      approver: 'human',
      validationCriteria: [{ type: 'contains', value: 'bag', message: 'No bag was packed' }],
    },
    { id: 'walk', title: 'Walk', prompt: 'Walk.', runCondition: { not: { var: 'far', equals: true } } },
    {
      id: 'legs',
      type: 'loop',
      title: 'Each leg',
      runCondition: 'far == true',
      loop: { type: 'forEach', items: 'route', itemVar: 'leg', maxIterations: 9 },
      body: [{ id: 'ride', title: 'Ride', prompt: 'Ride.', requireConfirmation: true }],
    },
    {
      id: 'again',
      type: 'loop',
      title: 'Again',
      loop: { type: 'until', condition: { var: 'there' }, maxIterations: 1 },
      body: 'look',
    },
    { id: 'look', title: 'Look', prompt: 'Look.' },
  ],
};

describe('show', () => {
  test('outlines a step workflow', async () => {
    const project = await openTestProject(entry, { 'workflows/j.json': journey });
    expect((await project.run(['show', 'journey', ...plain])).out).toBe(`journey  Journey  2.0.0
Go somewhere.
From project: j.json

Variables
  far  boolean  = false  Whether it is far

1. pack  Pack
   a person confirms it when far == true
   refused with: No bag was packed
2. walk  Walk
   when far != true
3. legs  Each leg
   when far == true
   repeats for each leg of route, at most 9 iterations
  3.1. ride  Ride
       the user confirms it
4. again  Again
   repeats step 'look' until there, at most 1 iteration
5. look  Look
`);
  });

  const shop = {
    id: 'shop',
    version: '1.0.0',
    title: 'Shop',
    initialActivity: 'sell',
    variables: [{ name: 'open', type: 'boolean', defaultValue: true }],
    activities: [
      'bakery/activities/02-bake',
      {
        id: 'sell',
        version: '1.0.0',
        name: 'Sell',
        steps: [
          { id: 'ask', name: 'Ask', checkpoint: 'buy', when: 'open', condition: { var: 'till', gte: 1 } },
          {
            id: 'wrap',
            required: false,
            validationCriteria: { type: 'contains', value: 'paper', message: 'Not wrapped' },
            triggers: [{ workflow: 'bakery' }],
          },
        ],
        loops: [
          {
            id: 'queue',
            name: 'Queue',
            type: 'doWhile',
            condition: 'open',
            breakCondition: 'tired == true',
            maxIterations: 3,
            steps: [{ id: 'greet' }],
          },
          { id: 'days', name: 'Days', type: 'forEach', variable: 'day', over: 'week', activities: ['bake'] },
        ],
        checkpoints: [
          {
            id: 'buy',
            name: 'Buy?',
            message: 'Will you?',
            approver: 'human',
            condition: 'open',
            options: [
              { id: 'yes', label: 'Yes', effect: { setVariable: { sold: true }, transitionTo: 'end' } },
              { id: 'no', label: 'No', effect: { skipActivities: ['bake'] } },
            ],
          },
        ],
        decisions: [
          {
            id: 'stock',
            name: 'Stock',
            branches: [
              { id: 'empty', label: 'Empty', condition: 'stock == 0', transitionTo: 'bake' },
              { id: 'full', label: 'Full', isDefault: true },
            ],
          },
        ],
        transitions: [
          { to: 'bake', condition: 'open' },
          { to: 'end', isDefault: true },
        ],
      },
    ],
  };

  test('outlines an activity workflow', async () => {
    const project = await openTestProject(entry, {
      'workflows/shop/workflow.json': shop,
      'workflows/bakery/workflow.yaml': bakery['bakery/workflow.yaml'],
      'workflows/bakery/activities/02-bake.yaml': bakery['bakery/activities/02-bake.yaml'],
    });
    const { out } = await project.run(['show', 'shop', ...plain]);
    expect(out).toBe(`shop  Shop  1.0.0
From project: shop/workflow.json

Variables
  open  boolean  = true

1. bake  Bake  (borrowed from bakery)
   step heat

2. sell  Sell  (first)
   step ask  Ask  (when open, and till >= 1; stops at buy)
   step wrap  (may be left out; starts bakery)
     refused with: Not wrapped
   loop queue  (once, then while open, until tired == true, at most 3 iterations)
     step greet
   loop days over bake  (for each day of week, at most 100 iterations)
   checkpoint buy  Buy?  (when open; a person answers)
     yes  Yes  (sets sold = true; leads to end)
     no  No  (skips bake)
   -> bake when stock == 0  (decision stock)
   -> on by default  (decision stock)
   -> bake when open
   -> end by default
`);
    const { out: json } = await project.run(['show', 'shop', ...plain, '--json']);
    expect(jsonOf('show', json)).toMatchObject({
      kind: 'activities',
      source: 'project',
      activities: [{}, {}],
    });
  });

  test.each(['issue-to-merge', 'workflow-authoring'])('prints JSON of %s', async (id) => {
    const project = await openTestProject(entry);
    const { out } = await project.run(['show', id, '--json']);
    expect(jsonOf('show', out)).toMatchObject({ id, source: 'bundled' });
  });
});

describe.each(['list', 'show', 'sources', 'init', 'lint', 'validate', 'convert', 'migrate'])('%s', (name) => {
  test('has an example in its help, and reports unknown options as JSON', async () => {
    const project = await openTestProject(entry);
    const { code, out } = await project.run([name, '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: workflowlookup/);
    expect(out).toMatch(new RegExp(`\\nExample:\\n {2}workflowlookup ${name}\\b`));
    expect(await project.run([name, '--colour'])).toMatchObject({ code: 2, out: '' });
  });
});

test.each([
  [['show', 'nowhere'], 'WORKFLOW_NOT_FOUND'],
  [['init'], 'INVALID_INPUT'],
  [['lint', 'nowhere'], 'NOT_FOUND'],
  [['migrate', 'nowhere'], 'NOT_FOUND'],
])('%j reports its failure as JSON', async (args, errorCode) => {
  const project = await openTestProject(entry);
  const { code, out, err } = await project.run([...args, '--json']);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(jsonOf('error', err)).toMatchObject({ error: { code: errorCode } });
});

describe('sources', () => {
  const files = {
    'home/.workflowlookup/workflows/x.yaml': flow('same'),
    'home/.workflowlookup/workflows/y.json': flow('other'),
    'home/.workflowlookup/workflows/z.json': flow('lost'),
    'team/mine.json': flow('same', { version: '2.0.0' }),
    'team/lost.json': '{',
  };

  test('shows for each directory its workflows, which file is used and what is wrong', async () => {
    const project = await openTestProject(entry, files);
    const env = { HOME: join(project.root, 'home') };
    const { code, out } = await project.run(['sources', ...plain, '--workflows', 'team'], { env });
    expect(code).toBe(1);
    expect(out.replaceAll(project.root, 'ROOT')).toBe(`user  ROOT/home/.workflowlookup/workflows  3 workflows
  other  y.json
  lost (z.json) is hidden by the broken file of custom-1: lost.json
  same (x.yaml) is overridden by custom-1: mine.json

project  ROOT/workflows  not there

project-hidden  ROOT/.workflowlookup/workflows  not there

custom-1  ROOT/team  1 workflow
  same  mine.json
  error lost.json: JSON syntax error: expected '}', but the text ends at line 1, column 2
`);
  });

  test('prints JSON with --json, and exits with 0 if there are no errors', async () => {
    const { 'team/lost.json': _, ...sound } = files;
    const project = await openTestProject(entry, sound);
    const env = { HOME: join(project.root, 'home') };
    const { code, out } = await project.run(['sources', ...plain, '--workflows', 'team', '--json'], {
      env,
    });
    expect(code).toBe(0);
    expect(jsonOf('sources', out)).toMatchObject({
      sources: [
        {
          name: 'user',
          isFound: true,
          count: 3,
          overridden: [
            { id: 'same', file: 'x.yaml', by: { source: 'custom-1', file: 'mine.json', isBroken: false } },
          ],
        },
        { name: 'project', isFound: false, count: 0 },
        { name: 'project-hidden', isFound: false, count: 0 },
        { name: 'custom-1', served: [{ id: 'same', file: 'mine.json' }], problems: [] },
      ],
    });
  });
});
