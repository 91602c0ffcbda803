import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitionMessages } from '../../src/messages/definitions.ts';
import { fileMessages } from '../../src/messages/common.ts';
import { migrationMessages } from '../../src/messages/authoring.ts';
import { asAnotherUser, openTestProject } from '../support/test-project.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

const older = {
  id: 'older-flow',
  name: 'Older',
  description: 'Of an older form.',
  version: '0.1.0',
  functionDefinitions: [
    {
      name: 'log',
      definition: 'Write it down',
      parameters: [{ name: 'text', type: 'string', required: true }],
    },
    { name: 'unused', definition: `${'Nobody calls it. '.repeat(20)}Really.`, scope: 'workflow' },
  ],
  steps: [
    {
      id: 'start',
      name: 'Start',
      description: 'Begin.',
      guidance: 'Be quick',
      hasValidation: true,
      functionReferences: ['log()', 'elsewhere()'],
      functionCalls: [{ name: 'own', args: { text: 'x' } }],
      functionDefinitions: [{ name: 'own', definition: 'Only here' }],
    },
    {
      id: 'rounds',
      type: 'loop',
      title: 'Rounds',
      requireConfirmation: { var: 'careful', equals: true },
      functionDefinitions: [{ name: 'turn', definition: 'Turn it' }],
      loop: { type: 'for', count: 3, maxIterations: 5, iterationVar: 'round' },
      body: [
        {
          id: 'turn-it',
          title: 'Turn it',
          prompt: 'Turn it.',
          requireConfirmation: { var: 'fragile' },
          functionReferences: ['turn()'],
        },
        { id: 'look', title: 'Look', prompt: 'Look.', description: 'At it.' },
      ],
    },
    {
      id: 'again',
      type: 'loop',
      title: 'Again',
      requireConfirmation: true,
      loop: { type: 'while', condition: { var: 'more' }, maxIterations: 5 },
      body: 'once',
    },
    { id: 'once', title: 'Once', prompt: 'Once.', expectedOutput: { a: 1 } },
    {
      id: 'still',
      type: 'loop',
      title: 'Still',
      requireConfirmation: false,
      loop: { type: 'for', count: 1, maxIterations: 1 },
      body: [{ id: 'rest', title: 'Rest', prompt: 'Rest.' }],
    },
  ],
  tips: ['a'],
};

const current = {
  id: 'older-flow',
  name: 'Older',
  description: 'Of an older form.',
  version: '0.1.0',
  steps: [
    {
      id: 'start',
      title: 'Start',
      prompt: 'Begin.',
      guidance: [
        'Be quick',
        'Apply in this order: log(), elsewhere().',
        'Apply own(text: "x").',
        'log(text: string): Write it down',
        'own(): Only here',
      ],
    },
    {
      id: 'rounds',
      type: 'loop',
      title: 'Rounds',
      loop: { type: 'for', count: 3, maxIterations: 5, iterationVar: 'round' },
      body: [
        {
          id: 'turn-it',
          title: 'Turn it',
          prompt: 'Turn it.',
          requireConfirmation: {
            or: [
              { var: 'fragile' },
              {
                and: [
                  { var: 'careful', equals: true },
                  { var: 'round', equals: 1 },
                ],
              },
            ],
          },
          guidance: ['Apply in this order: turn().', 'turn(): Turn it'],
        },
        { id: 'look', title: 'Look', prompt: 'Look.', guidance: ['At it.'] },
      ],
    },
    {
      id: 'again',
      type: 'loop',
      title: 'Again',
      loop: { type: 'while', condition: { var: 'more' }, maxIterations: 5 },
      body: 'once',
    },
    {
      id: 'once',
      title: 'Once',
      prompt: 'Once.',
      'x-expectedOutput': { a: 1 },
      requireConfirmation: { var: 'currentIteration', equals: 1 },
    },
    {
      id: 'still',
      type: 'loop',
      title: 'Still',
      loop: { type: 'for', count: 1, maxIterations: 1 },
      body: [{ id: 'rest', title: 'Rest', prompt: 'Rest.' }],
    },
  ],
  'x-tips': ['a'],
  metaGuidance: [
    expect.stringMatching(/^unused\(\): Nobody calls it\. .{200,240}$/) as string,
    expect.stringMatching(/Really\.$/) as string,
  ],
};

const indented = `${JSON.stringify(older, undefined, 4)}\n`;

describe('migrate', () => {
  test('migrates every old field to the current form, and lists the changes', async () => {
    const project = await openTestProject(entry, { 'workflows/a.json': indented });
    const { code, out } = await project.run(['migrate', 'workflows/a.json', '--write', '--json']);
    expect(code).toBe(0);
    const { files } = jsonOf('migrate', out) as { files: [{ changes: string[] }] };
    expect(files).toMatchObject([{ file: 'workflows/a.json', left: [], isWritten: true }]);
    const { asks, asksInstead, functionsInGuidance, inGuidance, named, note, removed, renamed } =
      migrationMessages;
    const step = (id: string): string => named('step', id);
    const loop = (id: string): string => removed('requireConfirmation', named('loop', id));
    expect(files[0].changes).toEqual([
      expect.stringContaining("'guidance'"),
      migrationMessages.validationRemoved(step('start')),
      renamed('name', step('start'), 'title'),
      renamed('description', step('start'), 'prompt'),
      inGuidance('description', step('look')),
      removed('description', step('look')),
      functionsInGuidance(step('start')),
      functionsInGuidance(step('turn-it')),
      migrationMessages.unusedFunctions,
      migrationMessages.functionsRemoved,
      asks(step('turn-it')),
      asksInstead(loop('rounds'), step('turn-it')),
      asks(step('once')),
      asksInstead(loop('again'), step('once')),
      loop('still'),
      note('expectedOutput', '/steps/3/expectedOutput'),
      note('tips', '/tips'),
    ]);
    const written = await project.read('workflows/a.json');
    expect(JSON.parse(written)).toEqual(current);
    expect(written).toMatch(/^\{\n {4}"id"/);
    expect((await project.run(['validate', 'workflows'])).code).toBe(0);
    const again = await project.run(['migrate', 'workflows/a.json', '--write']);
    expect(again).toMatchObject({ code: 0, out: `${migrationMessages.unchanged('workflows/a.json')}\n` });
  });

  test('shows the changes, and writes nothing without --write', async () => {
    const project = await openTestProject(entry, { 'a.json': indented.replace('"tips"', '"metaGuidence"') });
    const { code, out } = await project.run(['migrate', 'a.json']);
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toBe(migrationMessages.wouldChange('a.json'));
    expect(out).toContain('-            "name": "Start",\n-            "description": "Begin.",\n');
    expect(out).toContain('+            "title": "Start",\n+            "prompt": "Begin.",\n');
    expect(out).toMatch(/'metaGuidence'.*'metaGuidance'/);
    expect(out.endsWith(`\n\n${migrationMessages.write(1)}\n`)).toBe(true);
    expect(await project.read('a.json')).toBe(indented.replace('"tips"', '"metaGuidence"'));
  });

  test('keeps the comments of YAML', async () => {
    const text = `# First.
id: older
name: Older # as it is
description: Old.
version: 1.0.0
steps:
  # The step.
  - id: start
    name: Start
    hasValidation: true # gone
    prompt: Begin.
`;
    const project = await openTestProject(entry, { 'a.yaml': text });
    expect((await project.run(['migrate', 'a.yaml', '--write'])).code).toBe(0);
    expect(await project.read('a.yaml')).toBe(
      text.replace('    name: Start', '    title: Start').replace('    hasValidation: true # gone\n', ''),
    );
  });

  test('lists what the author has to fix, and exits with 1', async () => {
    const steps = [
      {
        id: 'one',
        title: 'One',
        prompt: 'One.',
        hasValidation: true,
        validationCriteria: [{ type: 'regex', pattern: 'a(?!b)', message: 'No' }],
      },
    ];
    const document = { id: 'flow', name: 'F', description: 'F', version: '1.0.0', steps };
    const project = await openTestProject(entry, { 'a.json': document, 'b.json': '{' });
    const { code, out } = await project.run(['migrate', 'a.json', 'b.json', '--json']);
    expect(code).toBe(1);
    expect(jsonOf('migrate', out)).toMatchObject({
      files: [
        {
          changes: [{}],
          left: [{ code: 'broken-criteria', pointer: '/steps/0/validationCriteria/0/pattern' }],
        },
        { changes: [], left: [{ code: 'syntax-error' }] },
      ],
    });
    expect((await project.run(['migrate', 'a.json'])).out).toContain(
      `  ${migrationMessages.byHand}\n  14:22 `,
    );
  });

  test.each([
    [['nowhere.json'], fileMessages.missing('nowhere.json')],
    [['flow.toon'], definitionMessages.notStepWorkflow('flow.toon')],
    [['.'], definitionMessages.notStepWorkflow('.')],
    [[], "missing required argument 'files'"],
  ])('refuses %j', async (args, says) => {
    const project = await openTestProject(entry, { 'flow.toon': 'id: x' });
    const { code, out, err } = await project.run(['migrate', ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(says);
  });

  test('leaves a file unchanged without write permission', async (context) => {
    const project = await openTestProject(entry, { 'in/a.json': indented });
    await chmod(project.root, 0o755);
    await chmod(join(project.root, 'in'), 0o555);
    const nobody = await asAnotherUser(project, context);
    const { code, err } = await project.run(['migrate', 'in/a.json', '--write'], nobody);
    expect(code).toBe(2);
    expect(err).toMatch(/'in\/a\.json' .*EACCES.*NOT_WRITTEN/u);
    expect(await project.read('in/a.json')).toBe(indented);
  });
});
