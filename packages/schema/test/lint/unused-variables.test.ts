import { describe, expect, test } from 'vitest';
import { definition, loop, read, step } from '../support/definitions.ts';
import { activity, checkpoint, flow, readFolder, skill, issueLines, workflow } from '../support/folders.ts';
import { messages } from '../../src/messages/workflow.ts';

const declare = (name: string, more: object = {}): object => ({ name, type: 'string', ...more });

/** Returns the issues of lint about the variable `crate` of a step workflow. */
async function warnings(steps: readonly object[], variable: object = {}, top: object = {}) {
  const { issues } = await read(definition({ variables: [declare('crate', variable)], ...top, steps }));
  return issues.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`);
}

describe('a variable of a step workflow', () => {
  const unused = `unused-variable /variables/0/name ${messages.unusedVariable('crate', false).message}`;

  test.each([
    ['no step', [step('plan')], {}],
    ['the description alone', [step('plan')], { description: 'About a crate.' }],
    ['the id of a step alone', [step('crate', { prompt: 'Do it.', title: 'It' })], {}],
  ])('is reported as unused if %s names it', async (_, steps, top) => {
    expect(await warnings(steps, {}, top)).toEqual([unused]);
  });

  test.each([
    ['a condition', step('plan', { runCondition: 'crate == "full"' })],
    [
      'a condition of a rule',
      step('plan', {
        validationCriteria: { type: 'length', min: 1, message: 'm', condition: { var: 'crate.lid' } },
      }),
    ],
    ['a confirmation', step('plan', { requireConfirmation: { var: 'crate', exists: true } })],
    ['a text', step('plan', { prompt: 'Set crate.' })],
    ['a compound', step('plan', { prompt: 'Set its crate-size.' })],
    ['guidance', step('plan', { guidance: ['Mind the `crate`.'] })],
    ['a loop', loop('again', [step('one')], { count: 'crate' })],
  ])('is not reported as unused if it is used by %s', async (_, one) => {
    expect(await warnings([one])).toEqual([]);
  });

  const shown = step('plan', { prompt: 'Lift {{crate.lid}}.' });
  const unset = `unset-variable /steps/0/prompt ${messages.unsetVariable('crate', "'prompt' of step 'plan'").message}`;

  test('is reported as never set if steps only show or read it', async () => {
    expect(await warnings([shown])).toEqual([unset]);
    expect(await warnings([shown, step('lift', { runCondition: 'crate == "full"' })])).toEqual([unset]);
  });

  test.each([
    ['has a default', [shown], { default: '' }],
    ['is required of the caller', [shown], { required: true }],
    ['is named by a text', [shown, step('fill', { prompt: 'Fill it and set crate.' })], {}],
  ])('is not reported as never set if it %s', async (_, steps, variable) => {
    expect(await warnings(steps, variable)).toEqual([]);
  });

  test('is not reported as never set if it is the item of a loop', async () => {
    const each = loop('each', [shown], {
      type: 'forEach',
      items: 'list',
      itemVar: 'crate',
      count: undefined,
    });
    expect(await warnings([each])).toEqual([]);
  });

  test('is not reported as never set if it has a default name of a loop variable and there is a loop', async () => {
    const variables = [declare('currentItem')];
    const shows = step('lift', { prompt: 'Lift {{currentItem}}.' });
    const each = loop('each', [shows], { type: 'forEach', items: 'list', count: undefined });
    expect(await warnings([each], {}, { variables })).toEqual([]);
    expect(await warnings([shows], {}, { variables })).toEqual([
      `unset-variable /steps/0/prompt ${messages.unsetVariable('currentItem', "'prompt' of step 'lift'").message}`,
    ]);
  });

  test('is reported if it is declared twice', async () => {
    const twice = definition({
      variables: [declare('crate'), declare('crate')],
      steps: [step('plan', { prompt: 'Set crate.' })],
    });
    const { issues, workflow: served } = await read(twice);
    expect(issues).toMatchObject([
      { code: 'duplicate-id', severity: 'warning', pointer: '/variables/1/name' },
    ]);
    expect(served).toBeDefined();
  });
});

describe('the variables of a loop in a step workflow', () => {
  const item = (itemVar: string, more: object = {}): object => ({
    type: 'forEach',
    items: 'list',
    itemVar,
    count: undefined,
    ...more,
  });
  const codes = async (steps: readonly object[], variables?: readonly object[]) => {
    const { issues } = await read(definition({ steps, ...(variables && { variables }) }));
    return issues.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`);
  };
  const lift = step('lift', { prompt: 'Lift {{crate}}.' });

  test('are reported if they hide a variable that has its own value', async () => {
    const hidden = [
      "shadowed-name /steps/0/loop/itemVar The itemVar 'crate' of loop 'each' hides the variable 'crate'",
    ];
    expect(await codes([loop('each', [lift], item('crate'))], [declare('crate', { default: 'a' })])).toEqual(
      hidden,
    );
    expect(
      await codes(
        [loop('each', [lift], item('crate')), step('last', { prompt: '{{crate}}' })],
        [declare('crate')],
      ),
    ).toEqual(hidden);
  });

  test('are reported if they hide the variables of an outer loop, or each other', async () => {
    const inner = loop('inner', [lift], item('crate'));
    expect(await codes([loop('outer', [inner], item('crate'))])).toEqual([
      "shadowed-name /steps/0/body/0/loop/itemVar The itemVar 'crate' of loop 'inner' hides the 'crate' of loop 'outer' around it",
    ]);
    expect(await codes([loop('each', [lift], item('crate', { indexVar: 'crate' }))])).toEqual([
      "shadowed-name /steps/0/loop/itemVar The itemVar 'crate' of loop 'each' hides its own indexVar",
    ]);
  });

  test('are not reported if the variable is declared only for the loop, or if they have their default names', async () => {
    expect(await codes([loop('each', [lift], item('crate'))], [declare('crate')])).toEqual([]);
    expect(await codes([loop('outer', [loop('inner', [step('one')])])])).toEqual([]);
  });
});

/** Returns the issues about the variable `crate` of an activity workflow. */
async function folderWarnings(more: object, files: object = {}, variable: object = {}, top: object = {}) {
  const { meta = {}, ...own } = files as Record<string, object>;
  const reading = await readFolder(
    flow({
      'workflow.yaml': workflow({ variables: [declare('crate', variable)], ...top }),
      'activities/01-start.yaml': activity('start', more),
      ...own,
    }),
    { others: { meta: { 'workflow.yaml': workflow({ id: 'meta' }), ...meta } } },
  );
  return issueLines(reading);
}

describe('a variable of an activity workflow', () => {
  const answer = checkpoint('go', {
    options: [{ id: 'yes', label: 'Yes', effect: { setVariable: { crate: 'full' } } }],
  });
  const entry = { action: 'set', target: 'crate', value: 'full' };

  test('is reported as unused if it is only set', async () => {
    const unused = (isSet: boolean): string =>
      `workflow.yaml warning /variables/0/name ${messages.unusedVariable('crate', isSet).message}`;
    expect(await folderWarnings({})).toEqual([unused(false)]);
    expect(await folderWarnings({ checkpoints: [answer] })).toEqual([unused(true)]);
    expect(await folderWarnings({ entryActions: [entry] })).toEqual([unused(true)]);
  });

  test.each<[by: string, more: object, files: object]>([
    ['a condition', { transitions: [{ to: 'end', condition: 'crate == "full"' }] }, {}],
    ['a step', { steps: [{ id: 'lift', description: 'Lift the crate.' }] }, {}],
    ['a child workflow', { triggers: [{ workflow: 'other', passContext: ['crate'] }] }, {}],
    ['a check', { entryActions: [{ action: 'validate', target: 'crate' }] }, {}],
    ['a skill', {}, { 'skills/01-lift.yaml': skill('lift', { capability: 'Lifts a crate' }) }],
    ['a resource', {}, { 'resources/01-lift.md': 'Mind the crate.\n' }],
    [
      'a skill that all share',
      {},
      { meta: { 'skills/01-lift.yaml': skill('lift', { capability: 'Lifts a crate' }) } },
    ],
  ])('is not reported as unused if it is used by %s', async (_, more, files) => {
    expect((await folderWarnings(more, files)).filter((line) => line.includes("'crate'"))).toEqual([]);
  });

  const shown = { checkpoints: [checkpoint('go', { message: 'Lift {crate}?' })] };
  const each = {
    id: 'each',
    name: 'Each',
    type: 'forEach',
    over: 'crates',
    variable: 'crate',
    steps: [{ id: 'lift' }],
  };

  test('is reported as never set if it is only shown', async () => {
    expect(await folderWarnings(shown)).toEqual([
      `activities/01-start.yaml warning /checkpoints/0/message ${messages.unsetVariable('crate', messages.textOfActivity('start')).message}`,
    ]);
    expect(await folderWarnings({}, {}, {}, { artifactLocations: { work: '{crate}/notes' } })).toEqual([
      `workflow.yaml warning /artifactLocations/work ${messages.unsetVariable('crate', messages.pathOfArtifacts).message}`,
    ]);
  });

  test.each<[how: string, more: object, files: object, variable: object, top: object]>([
    ['an action', { ...shown, entryActions: [entry] }, {}, {}, {}],
    ['a worker', { ...shown, steps: [{ id: 'fill', description: 'Fill it. Set crate.' }] }, {}, {}, {}],
    ['a skill', shown, { 'skills/01-fill.yaml': skill('fill', { capability: 'Gives back crate' }) }, {}, {}],
    ['whoever starts it', shown, {}, { required: true }, {}],
    ['its default', shown, {}, { defaultValue: 'a' }, {}],
    [
      'a mode',
      shown,
      {},
      {},
      { modes: [{ id: 'm', name: 'M', activationVariable: 'x', defaults: { crate: 'a' } }] },
    ],
    [
      'whoever turns its mode on',
      shown,
      {},
      {},
      { modes: [{ id: 'm', name: 'M', activationVariable: 'crate' }] },
    ],
    [
      'the loop whose item it is',
      { ...shown, loops: [each] },
      {},
      {},
      { variables: [declare('crate'), declare('crates', { required: true })] },
    ],
  ])('is not reported as never set if it may be set by %s', async (_, more, files, variable, top) => {
    expect(await folderWarnings(more, files, variable, top)).toEqual([]);
  });

  test('is reported if the item of a loop hides its own value', async () => {
    const loops = [each];
    const variable = messages.hiddenVariable('crate');
    const hidden = [
      `activities/01-start.yaml warning /loops/0/variable ${messages.hidingLoopName('item', 'crate', 'each', variable).message}`,
    ];
    const lines = async (more: object, declared: object = {}) =>
      (await folderWarnings(more, {}, declared)).filter((line) => line.includes('/loops/0/variable'));
    expect(await lines({ loops }, { defaultValue: 'a' })).toEqual(hidden);
    expect(await lines({ loops, entryActions: [entry] })).toEqual(hidden);
    expect(await lines({ loops })).toEqual([]);
  });
});

test('Variables are not checked while an activity is broken', async () => {
  const files = { 'activities/02-torn.yaml': 'id: [' };
  expect((await folderWarnings({}, files)).filter((line) => line.includes("'crate'"))).toEqual([]);
});

test('Variables are not checked without access to other workflows', async () => {
  const files = flow({ 'workflow.yaml': workflow({ variables: [declare('crate')] }) });
  expect(issueLines(await readFolder(files))).toEqual([]);
});
