import type { Checkpoint } from '@workflowlookup/schema';
import { expect, it } from 'vitest';
import type { OptionOutcome } from '../../src/operator/respond.ts';
import { workflow as steps } from '../support/step-workflows.ts';
import { openTestServer } from '../support/test-server.ts';
import type { ActivitySketch } from '../support/sessions.ts';
import { activityWorkflow } from '../support/sessions.ts';

type Definition = NonNullable<Parameters<typeof activityWorkflow>[1]>;

const checkpoint = (id: string, more: Partial<Checkpoint> = {}): Checkpoint => ({
  id,
  name: `Name of ${id}`,
  message: 'Well?',
  options: [
    { id: 'yes', label: 'Yes' },
    { id: 'no', label: 'No' },
  ],
  ...more,
});

const plan: ActivitySketch = {
  id: 'plan',
  steps: [{ id: 'ask', checkpoint: 'go' }],
  checkpoints: [
    checkpoint('go', {
      options: [
        { id: 'yes', label: 'Yes', effect: { setVariable: { agreed: true } } },
        { id: 'no', label: 'No', effect: { setVariable: { agreed: false } } },
        { id: 'jump', label: 'Jump', effect: { transitionTo: 'release' } },
      ],
    }),
  ],
  transitions: [
    { to: 'build', condition: 'agreed == true' },
    { to: 'end', isDefault: true },
  ],
};
const asks: Partial<ActivitySketch> = {
  steps: [{ id: 'ask-release', checkpoint: 'publish' }],
  checkpoints: [checkpoint('publish')],
};

/** Returns the paths of the options at the checkpoint of the first activity, by option. */
async function pathsOf(
  activities: readonly ActivitySketch[],
  more: Definition = {},
): Promise<Readonly<Record<string, OptionOutcome['path']>>> {
  const server = openTestServer([activityWorkflow([plan, ...activities], more)]);
  const { sessions, store } = server;
  const { token } = await sessions.start({ agentId: 'a', workflowId: 'graph' });
  await sessions.yield((await sessions.move(token, {})).token, 'go');
  const [row] = (await store.find({})).sessions;
  const { outcomes } = await server.person('ana').present(row?.sid ?? '');
  return Object.fromEntries(outcomes.map(({ option, path }) => [option, path]));
}

const named = (...ids: readonly string[]): object[] => ids.map((id) => ({ id, name: `Name of ${id}` }));

it('reports that no further checkpoint follows if the path leads to the end', async () => {
  const paths = await pathsOf([
    { id: 'build', transitions: [{ to: 'release' }] },
    { id: 'release', transitions: [{ to: 'end' }] },
  ]);
  expect(paths).toEqual({
    yes: { activities: named('build', 'release'), stop: 'end' },
    no: undefined,
    jump: { activities: named('release'), stop: 'end' },
  });
});

it('ends at the next checkpoint, and reports whether it is certain', async () => {
  const build = { id: 'build', transitions: [{ to: 'release' }] };
  const path = { activities: named('build', 'release'), checkpoint: 'Name of publish' };
  const at = async (release: Partial<ActivitySketch>): Promise<unknown> =>
    (await pathsOf([build, { id: 'release', ...asks, ...release }]))['yes'];
  expect(await at({})).toEqual({ ...path, stop: 'asks' });
  const maybe = { checkpoints: [checkpoint('publish', { condition: 'risk == "high"' })] };
  expect(await at(maybe)).toEqual({ ...path, stop: 'may-ask' });
  expect(await at({ steps: [{ id: 'tell' }] })).toEqual({ ...path, stop: 'may-ask' });
});

it('ends at a branch that depends on what agents do', async () => {
  const build: ActivitySketch = {
    id: 'build',
    transitions: [
      { to: 'ask', condition: 'tests == "failed"' },
      { to: 'release', isDefault: true },
    ],
  };
  const rest: readonly ActivitySketch[] = [{ id: 'release' }, { id: 'ask', ...asks }];
  const open = { activities: named('build'), stop: 'open' };
  expect((await pathsOf([build, ...rest]))['yes']).toEqual(open);
  const variables = [{ name: 'tests', type: 'string', defaultValue: 'passed', set_by: ['go'] }];
  const fixed = [...variables, { name: 'agreed', type: 'boolean' }] as Definition['variables'];
  const path = { activities: named('build', 'release'), stop: 'end' };
  expect((await pathsOf([build, ...rest], { variables: fixed } as Definition))['yes']).toEqual(path);
  const acting = {
    ...build,
    exitActions: [{ action: 'set', target: 'tests', value: 'failed' }],
  } as ActivitySketch;
  expect((await pathsOf([acting, ...rest], { variables: fixed } as Definition))['yes']).toEqual(open);
});

it('ends if it returns, at loops over activities, and after 6 activities', async () => {
  const circle = [
    { id: 'build', transitions: [{ to: 'release' }] },
    { id: 'release', transitions: [{ to: 'build' }] },
  ];
  expect((await pathsOf(circle))['yes']).toEqual({ activities: named('build', 'release'), stop: 'open' });
  const loop: readonly ActivitySketch[] = [
    {
      id: 'build',
      loops: [
        {
          id: 'each',
          name: 'Each',
          type: 'while',
          condition: 'more == true',
          maxIterations: 3,
          activities: ['part'],
        },
      ],
    },
    { id: 'part', ...asks },
    { id: 'release' },
  ];
  expect((await pathsOf(loop))['yes']).toEqual({ activities: named('build'), stop: 'open' });
  const ids = ['build', 'b', 'c', 'd', 'e', 'f', 'g', 'release'];
  const long = ids.map((id, at) => ({ id, transitions: [{ to: ids[at + 1] ?? 'end' }] }));
  expect((await pathsOf(long))['yes']).toEqual({
    activities: named('build', 'b', 'c', 'd', 'e', 'f'),
    stop: 'open',
  });
});

it('follows a step workflow to a step with a confirmation or a condition', async () => {
  const flow = (last: object): Promise<OptionOutcome['path']> => {
    const server = openTestServer([
      steps([{ id: 'one', requireConfirmation: true }, 'two', { id: 'three', ...last }, 'four']),
    ]);
    return (async () => {
      const { token } = await server.sessions.start({ agentId: 'a', workflowId: 'flow' });
      await server.sessions.yield((await server.sessions.move(token, {})).token, 'confirm');
      const [row] = (await server.store.find({})).sessions;
      const { outcomes } = await server.person('ana').present(row?.sid ?? '');
      return outcomes[0]?.path;
    })();
  };
  const titles = (...ids: readonly string[]): object[] => ids.map((id) => ({ id, name: `Title of ${id}` }));
  expect(await flow({})).toEqual({ activities: titles('two', 'three', 'four'), stop: 'end' });
  expect(await flow({ requireConfirmation: true })).toEqual({
    activities: titles('two', 'three'),
    stop: 'asks',
    checkpoint: 'Confirm: Title of three',
  });
  expect(await flow({ runCondition: 'x == true' })).toEqual({ activities: titles('two'), stop: 'open' });
});
