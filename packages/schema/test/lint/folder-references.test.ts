import { describe, expect, test } from 'vitest';
import { activity, checkpoint, flow, readFolder, skill, issueLines, workflow } from '../support/folders.ts';
import { messages } from '../../src/messages/workflow.ts';

const withStart = (more: object, files: object = {}) =>
  flow({ 'activities/01-start.yaml': activity('start', more), ...files });
const options = (effect: object) => checkpoint('gate', { options: [{ id: 'yes', label: 'Yes', effect }] });

describe('an activity that does not exist', () => {
  test.each([
    ['a transition', { transitions: [{ to: 'stort' }] }, '/transitions/0/to', messages.transitionLeadsTo],
    [
      'a decision',
      {
        decisions: [
          {
            id: 'way',
            name: 'Way',
            branches: [
              { id: 'a', label: 'A' },
              { id: 'b', label: 'B', transitionTo: 'stort' },
            ],
          },
        ],
      },
      '/decisions/0/branches/1/transitionTo',
      messages.decisionLeadsTo('way'),
    ],
    [
      'an answer',
      { checkpoints: [options({ transitionTo: 'stort' })] },
      '/checkpoints/0/options/0/effect/transitionTo',
      messages.answerLeadsTo('gate'),
    ],
    [
      'an answer that skips',
      { checkpoints: [options({ skipActivities: ['start', 'stort'] })] },
      '/checkpoints/0/options/0/effect/skipActivities/1',
      messages.answerSkips('gate'),
    ],
    [
      'a loop',
      { loops: [{ id: 'again', name: 'Again', type: 'while', activities: ['stort'] }] },
      '/loops/0/activities/0',
      messages.loopRepeats('again'),
    ],
  ])('is reported if it is named by %s', async (_, more, pointer, by) => {
    const reading = await readFolder(withStart(more));
    const { message, suggestion } = messages.unknownActivity({ by, id: 'stort', mayEnd: false }, 'start');
    expect(issueLines(reading)).toEqual([`activities/01-start.yaml error! ${pointer} ${message}`]);
    expect(reading.issuesByFile.get('activities/01-start.yaml')?.[0]?.suggestion).toBe(suggestion);
    expect(reading.workflow?.problems).toEqual([]);
  });

  test("gets the suggestion to write 'end' if its name looks like the end", async () => {
    const { issuesByFile } = await readFolder(withStart({ transitions: [{ to: '__terminal__' }] }));
    const by = messages.transitionLeadsTo;
    const { suggestion } = messages.unknownActivity({ by, id: '__terminal__', mayEnd: true }, undefined);
    expect(issuesByFile.get('activities/01-start.yaml')?.[0]?.suggestion).toBe(suggestion);
  });

  test('prevents the workflow from being served if it is the first activity', async () => {
    const reading = await readFolder(flow({ 'workflow.yaml': workflow({ initialActivity: 'none' }) }));
    const by = messages.startsWith;
    const { message } = messages.unknownActivity({ by, id: 'none', mayEnd: false }, undefined);
    expect(issueLines(reading)).toEqual([`workflow.yaml error /initialActivity ${message}`]);
    expect(reading.workflow).toBeUndefined();
  });

  test('is reported if a mode skips it', async () => {
    const modes = [{ id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['none'] }];
    const by = messages.modeSkips('fast');
    const { message } = messages.unknownActivity({ by, id: 'none', mayEnd: false }, undefined);
    expect(issueLines(await readFolder(flow({ 'workflow.yaml': workflow({ modes }) })))).toEqual([
      `workflow.yaml error! /modes/0/skipActivities/0 ${message}`,
    ]);
  });

  test.each(['end', 'end-workflow', 'complete'])(
    'is not reported for transitions and answers that lead to the reserved word %s',
    async (to) => {
      expect(
        issueLines(
          await readFolder(
            withStart({ transitions: [{ to }], checkpoints: [options({ transitionTo: to })] }),
          ),
        ),
      ).toEqual([]);
      expect(
        issueLines(await readFolder(withStart({ checkpoints: [options({ skipActivities: [to] })] }))),
      ).toHaveLength(1);
    },
  );
});

describe('an activity that nothing leads to', () => {
  const island = { 'activities/02-island.yaml': activity('island') };
  const { message } = messages.unreachableActivity('island', 'start');
  const warning = `activities/02-island.yaml warning /id ${message}`;

  test('causes a warning', async () => {
    expect(issueLines(await readFolder(flow(island)))).toEqual([warning]);
    expect(
      issueLines(
        await readFolder(withStart({ checkpoints: [options({ skipActivities: ['island'] })] }, island)),
      ),
    ).toEqual([warning]);
  });

  test.each([
    ['a transition', { transitions: [{ to: 'island' }] }],
    ['an answer', { checkpoints: [options({ transitionTo: 'island' })] }],
    ['a loop', { loops: [{ id: 'again', name: 'Again', type: 'while', activities: ['island'] }] }],
  ])('causes no warning if %s leads to it', async (_, more) => {
    expect(issueLines(await readFolder(withStart(more, island)))).toEqual([]);
  });

  test('may have a reserved word as its id', async () => {
    const end = {
      'activities/02-end.yaml': activity('end', { transitions: [{ to: 'after' }] }),
      'activities/03-after.yaml': activity('after'),
    };
    expect(issueLines(await readFolder(withStart({ transitions: [{ to: 'end' }] }, end)))).toEqual([]);
  });

  test('is not reported while another activity is broken', async () => {
    const reading = await readFolder(flow({ ...island, 'activities/03-broken.yaml': 'id: [' }));
    expect([...reading.issuesByFile.keys()]).toEqual(['activities/03-broken.yaml']);
  });
});

const duplicate = (kind: string, id: string, file: string): string =>
  messages.duplicateId(kind, id, `'${file}'`).message;

describe('the ids', () => {
  const step = (id: string) => ({ id });
  const loop = (id: string, ...steps: object[]) => ({ id, name: id, type: 'doWhile', steps });
  const branch = { id: 'a', label: 'A' };

  test.each([
    [
      'steps',
      { steps: [step('a'), step('b'), step('a')] },
      '/steps/2/id',
      messages.duplicateId('step', 'a', '/steps/0'),
    ],
    [
      'steps of a loop',
      { loops: [loop('l', step('a'), step('a'))] },
      '/loops/0/steps/1/id',
      messages.duplicateId('step', 'a', '/loops/0/steps/0'),
    ],
    [
      'checkpoints',
      { checkpoints: [checkpoint('a'), checkpoint('a')] },
      '/checkpoints/1/id',
      messages.duplicateId('checkpoint', 'a', '/checkpoints/0'),
    ],
    [
      'options',
      { checkpoints: [checkpoint('a', { options: [branch, branch] })] },
      '/checkpoints/0/options/1/id',
      messages.duplicateId('option', 'a', '/checkpoints/0/options/0'),
    ],
    [
      'branches',
      { decisions: [{ id: 'd', name: 'D', branches: [branch, branch] }] },
      '/decisions/0/branches/1/id',
      messages.duplicateId('branch', 'a', '/decisions/0/branches/0'),
    ],
    [
      'loops',
      { loops: [loop('a'), loop('a')] },
      '/loops/1/id',
      messages.duplicateId('loop', 'a', '/loops/0'),
    ],
    [
      'artifacts',
      {
        artifacts: [
          { id: 'a', name: 'A' },
          { id: 'a', name: 'A' },
        ],
      },
      '/artifacts/1/id',
      messages.duplicateId('artifact', 'a', '/artifacts/0'),
    ],
  ])('of %s must be unique', async (_, more, pointer, { message }) => {
    const reading = await readFolder(withStart(more, { 'activities/02-then.yaml': activity('then') }));
    expect(issueLines(reading)).toContain(`activities/01-start.yaml error ${pointer} ${message}`);
    expect(reading.workflow?.problems).toMatchObject([{ id: 'start' }]);
  });

  test('of steps in different lists cause a warning if they are equal', async () => {
    const more = { steps: [step('a')], loops: [loop('l', step('a')), loop('m', step('b'))] };
    expect(issueLines(await readFolder(withStart(more)))).toEqual([
      `activities/01-start.yaml warning /loops/0/steps/0/id ${messages.stepIdInTwoLists('a', undefined, 'l').message}`,
    ]);
  });

  test('of activities must be unique, and the later activity is left out', async () => {
    const reading = await readFolder(
      flow({ 'activities/02-start.yaml': activity('start', { name: 'Again' }) }),
    );
    expect(issueLines(reading)).toEqual([
      `activities/02-start.yaml error /id ${duplicate('activity', 'start', 'activities/01-start.yaml')}`,
    ]);
    expect(reading.workflow?.activities.map(({ index }) => index)).toEqual(['01']);
  });

  test('of skills, resources, variables and modes must be unique', async () => {
    const variable = { name: 'a', type: 'string' };
    const mode = { id: 'fast', name: 'Fast', activationVariable: 'a' };
    const skills = await readFolder(
      flow({ 'skills/01-plan.yaml': skill('plan'), 'skills/02-plan.yaml': skill('plan') }),
    );
    expect(issueLines(skills)).toEqual([
      `skills/02-plan.yaml error /id ${duplicate('skill', 'plan', 'skills/01-plan.yaml')}`,
    ]);
    expect(skills.workflow?.skills).toHaveLength(1);
    const resources = await readFolder(flow({ 'resources/01-map.md': 'A', 'resources/02-map.md': 'B' }));
    expect(issueLines(resources)).toEqual([
      `resources/02-map.md warning /id ${duplicate('resource', 'map', 'resources/01-map.md')}`,
    ]);
    expect(resources.workflow?.resources).toHaveLength(2);
    const top = await readFolder(
      flow({ 'workflow.yaml': workflow({ variables: [variable, variable], modes: [mode, mode] }) }),
    );
    expect(issueLines(top)).toEqual([
      `workflow.yaml error /variables/1/name ${messages.duplicateEntry('name', 'a', '/variables/0').message}`,
      `workflow.yaml error /modes/1/id ${messages.duplicateEntry('id', 'fast', '/modes/0').message}`,
    ]);
  });
});

test('A checkpoint that its activity does not have is reported, and so is an unknown default option', async () => {
  const more = {
    steps: [
      { id: 'a', checkpoint: 'gate' },
      { id: 'b', checkpoint: 'gates' },
    ],
    checkpoints: [checkpoint('gate', { defaultOption: 'maybe' })],
  };
  const named = { step: 'b', checkpoint: 'gates', activity: 'start' };
  expect(issueLines(await readFolder(withStart(more)))).toEqual([
    `activities/01-start.yaml error! /steps/1/checkpoint ${messages.unknownCheckpoint(named, undefined).message}`,
    `activities/01-start.yaml error! /checkpoints/0/defaultOption ${messages.unknownOption('gate', 'maybe', undefined).message}`,
  ]);
});
