import type { Activity, Json, Step } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong } from '../../../../../test/support/is-long.ts';
import { printFigures } from '../../../../../test/support/print-figures.ts';
import type { SessionEventOf } from '../../../src/session/evolve.ts';
import type { ManifestEntry } from '../../../src/session/session-event.ts';
import { workflow } from '../../support/step-workflows.ts';
import type { Walk } from '../../support/sessions.ts';
import { enforcements, graph, sequence, walk } from '../../support/sessions.ts';

/** The number of sessions for each kind of workflow and each enforcement. */
const runs = { numRuns: isLong ? 25_000 : 100 };
const timeout = isLong ? 10_800_000 : 120_000;

/**
 * One action. If a checkpoint is open, the person answers it. Otherwise `go` takes a transition or yields the checkpoint,
 * `stray` moves to any activity, and `ask` yields the checkpoint. `to` is the index of an activity, modulo their number.
 */
interface Play {
  readonly kind: 'go' | 'stray' | 'ask';
  readonly to: number;
  /** The option that a person chooses. */
  readonly option: 'yes' | 'no';
  readonly variables: Readonly<Record<string, Json>>;
  /** The value that an output gives the variable. By default, the variable keeps its value. */
  readonly output?: string | undefined;
}

/** Fields whose output sets the variable that the questions show. */
const setting = { fields: [{ id: 'value' }], sets: { v: 'value' } };

const variables = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.record({ v: fc.constantFrom('x', 'y') }) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        v: fc.constantFrom('x', 'y'),
        b: fc.constantFrom(0, 1),
        items: fc.constantFrom(['i'], ['i', 'j'], ['z'], []),
        more: fc.constantFrom([], [1], [1, 2]),
      },
      { requiredKeys: [] },
    ),
  },
);
const plays: fc.Arbitrary<readonly Play[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('go', 'go', 'go', 'stray', 'ask'),
    to: fc.nat(9),
    option: fc.constantFrom('yes', 'yes', 'no'),
    variables,
    output: fc.option(fc.constantFrom('x', 'y'), { nil: undefined, freq: 1 }),
  }),
  { minLength: 10, maxLength: 30, size: 'max' },
);

const condition = fc.constantFrom('b == 1', 'b != 1', 'ok == true', 'ok != true', 'v == "x"');
const ids = ['a0', 'a1', 'a2', 'a3', 'a4'];
const id = fc.constantFrom(...ids);
const choice = (label: string) =>
  fc
    .record({
      setVariable: fc.record({ ok: fc.constant(label === 'yes') }),
      transitionTo: fc.option(id, { nil: undefined, freq: 1 }),
    })
    .map((effect) => ({ id: label, label, effect }));

/** An activity whose transitions mostly lead to later ones. Most have a question that only a person may answer. */
const activity = (own: string, at: number): fc.Arbitrary<object> => {
  const next = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ids.slice(at + 1), 'end') },
    { weight: 1, arbitrary: id },
  );
  return fc
    .record({
      asks: fc.nat(2),
      when: fc.option(fc.oneof(fc.constant('ok != true'), condition), { nil: undefined, freq: 1 }),
      options: fc.tuple(choice('yes'), choice('no')),
      to: fc.array(fc.tuple(next, fc.option(condition, { nil: undefined })), { minLength: 1, maxLength: 3 }),
      members: fc.oneof(
        { weight: 3, arbitrary: fc.constant<string[]>([]) },
        { weight: 1, arbitrary: fc.uniqueArray(id, { maxLength: 2 }) },
      ),
      sets: fc.option(fc.constantFrom(0, 1), { nil: undefined, freq: 4 }),
    })
    .map(({ asks, when, options, to, members, sets }) => ({
      id: own,
      steps: [{ id: 'work', ...setting }, ...(asks === 0 ? [] : [{ id: 'stop', checkpoint: 'p' }])],
      ...(asks === 0
        ? {}
        : {
            checkpoints: [
              {
                id: 'p',
                name: 'P',
                message: 'Go {v}?',
                approver: 'human',
                ...(when === undefined ? {} : { condition: when }),
                options,
              },
            ],
          }),
      transitions: to.map(([target, on]) => ({ to: target, ...(on === undefined ? {} : { condition: on }) })),
      ...(members.length === 0 || members.includes(own)
        ? {}
        : {
            loops: [
              {
                id: 'each',
                name: 'Each',
                type: 'forEach',
                over: 'items',
                variable: 'item',
                maxIterations: 3,
                activities: members,
              },
            ],
          }),
      ...(sets === undefined ? {} : { exitActions: [{ action: 'set', target: 'b', value: sets }] }),
    }));
};

const declared = [
  { name: 'v', type: 'string', defaultValue: 'x' },
  { name: 'b', type: 'number', defaultValue: 0 },
  { name: 'ok', type: 'boolean' },
  { name: 'items', type: 'array', defaultValue: ['i', 'j'] },
  { name: 'item', type: 'string' },
  { name: 'more', type: 'array' },
] as const;

const prompt = (asks: number, when?: string): object => ({
  title: asks === 0 ? 'Work' : 'Go {{v}}',
  prompt: 'p',
  ...setting,
  ...(asks === 0 ? {} : { requireConfirmation: true, approver: 'human' }),
  ...(asks !== 0 || when === undefined ? {} : { runCondition: when }),
});
const { steps } = fc.letrec<{ steps: readonly object[]; one: object; loop: object }>((tie) => ({
  steps: fc.array(fc.oneof({ maxDepth: 2 }, tie('one'), tie('loop')), { minLength: 2, maxLength: 4 }),
  one: fc
    .tuple(fc.nat(1), fc.option(fc.constant('b == 1'), { nil: undefined }))
    .map(([asks, when]) => prompt(asks, when)),
  loop: fc.tuple(fc.constantFrom('items', 'more'), tie('steps')).map(([items, body]) => ({
    title: 'Each',
    type: 'loop',
    loop: { type: 'forEach', items, maxIterations: 3 },
    body,
  })),
}));

function named(sketches: readonly object[], prefix: string): Step[] {
  return sketches.map((sketch, at) => {
    const own = `${prefix}${at}`;
    const { body } = sketch as { body?: readonly object[] };
    return { ...sketch, id: own, ...(body && { body: named(body, `${own}-`) }) } as Step;
  });
}

/** Carries out a play. Refused calls change nothing. */
function carryOut(
  session: Walk,
  places: readonly string[],
  { kind, to, option, variables: values, output }: Play,
): void {
  const { current, gate: openCheckpoint, revision } = session.state;
  const isSteps = places.includes('s0');
  if (openCheckpoint !== undefined) {
    session.choose(isSteps ? 'confirm' : option, 'human');
    return;
  }
  const value = output ?? values['v'] ?? session.state.variables['v'] ?? 'x';
  const entryOf = (step_id: string): ManifestEntry => ({
    step_id,
    output: step_id === 'stop' ? 'Done' : JSON.stringify({ value }),
  });
  const outputs = current === undefined ? [] : isSteps ? [current] : ['work', 'stop'];
  const target = kind === 'stray' ? places[to % places.length] : undefined;
  for (const done of [outputs, outputs.slice(0, 1)]) {
    if (kind !== 'ask' && session.state.revision === revision)
      session.move(target, { manifest: done.map(entryOf), variables: values });
  }
  if (kind !== 'stray' && session.state.revision === revision)
    session.do({ kind: 'yield', checkpointId: isSteps ? 'confirm' : 'p', variables: values });
}

/** The value that a person saw, the activity to which the answer leads, and the one that it opened. */
interface PersonsAnswer {
  readonly v: unknown;
  readonly leadsTo?: string;
  opened?: string;
}

function noteOpened(
  answer: PersonsAnswer,
  { activity: entered, strayed }: SessionEventOf<'activity-entered'>,
  isFromQuestion: boolean,
): void {
  const isNext = isFromQuestion && strayed !== true;
  if ((answer.leadsTo ?? (isNext ? entered : undefined)) === entered) answer.opened ??= entered;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

test.each(enforcements)(
  'Approved work is done with the values that the person saw, in activity workflows, %s',
  { timeout },
  (enforcement) => {
    const seen = { sessions: 0, opened: 0 };
    fc.assert(
      fc.property(fc.tuple(...ids.map(activity)), plays, (activities, all) => {
        const navigator = graph(activities as unknown as Activity[], { variables: declared });
        const session = walk(navigator, { enforcement, minResponseMs: 0 });
        /** The last answer in each activity. */
        const answers = new Map<string, PersonsAnswer>();
        seen.sessions += 1;
        for (const one of all) {
          if (session.state.status === 'completed') break;
          const before = session.state;
          carryOut(session, ids, one);
          if (session.state === before) continue;
          const event = session.journal.at(-1)?.event;
          if (event?.type === 'checkpoint-answered' && event.by === 'human') {
            const leadsTo = event.effect?.transitionTo;
            answers.set(event.activity, {
              v: before.variables['v'],
              ...(leadsTo === undefined ? {} : { leadsTo }),
            });
          }
          if (event?.type !== 'activity-entered') continue;
          for (const [asking, answer] of answers) {
            noteOpened(answer, event, before.current === asking);
            if (answer.opened !== event.activity || answer.opened === asking || !isGiven(answer.v)) continue;
            seen.opened += 1;
            expect(session.state.variables['v']).toBe(answer.v);
          }
        }
      }),
      runs,
    );
    expect(seen.opened).toBeGreaterThan(runs.numRuns / 5);
    printFigures(`approvals, activities, ${enforcement}`, seen);
  },
);

/** Returns the steps of a workflow by id, each with the step before it. */
function stepsBefore(all: readonly Step[]): ReadonlyMap<string, Step | undefined> {
  return new Map(
    all.flatMap((one, at): [string, Step | undefined][] => {
      const { body } = one as { body?: readonly Step[] };
      return [[one.id, all[at - 1]], ...(body === undefined ? [] : stepsBefore(body))];
    }),
  );
}

test.each(enforcements)(
  'Approved work is done with the values that the person saw, in step workflows, %s',
  { timeout },
  (enforcement) => {
    const seen = { sessions: 0, opened: 0 };
    fc.assert(
      fc.property(steps, plays, (sketches, all) => {
        const definition = named(sketches, 's');
        const before = stepsBefore(definition);
        const session = walk(sequence(workflow(definition)), {
          enforcement,
          minResponseMs: 0,
          variables: { v: 'x', b: 0, items: ['i', 'j'], more: [] },
        });
        const places = [...before.keys()];
        const answers = new Map<string, unknown>();
        seen.sessions += 1;
        for (const one of all) {
          if (session.state.status === 'completed') break;
          const { variables: earlier, revision } = session.state;
          carryOut(session, places, one);
          if (session.state.revision === revision) continue;
          const event = session.journal.at(-1)?.event;
          if (event?.type === 'checkpoint-answered') answers.set(event.activity, earlier['v']);
          if (event?.type !== 'activity-entered') continue;
          const loops = event.activity.split('::');
          const asking = before.get(loops.pop() ?? '');
          const question = [...loops, asking?.id].join('::');
          if (!(asking !== undefined && 'approver' in asking)) continue;
          expect(answers.has(question), event.activity).toBe(true);
          seen.opened += 1;
          expect(session.state.variables['v']).toBe(answers.get(question));
        }
      }),
      runs,
    );
    expect(seen.opened).toBeGreaterThan(runs.numRuns / 5);
    printFigures(`approvals, steps, ${enforcement}`, seen);
  },
);
