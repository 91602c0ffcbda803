import type { Json, Step } from '@workflowlookup/schema';
import { canonicalJson } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong } from '../../../../../test/support/is-long.ts';
import { printFigures } from '../../../../../test/support/print-figures.ts';
import type { Navigator } from '../../../src/navigation/navigator.ts';
import type { SessionCommand } from '../../../src/session/command.ts';
import { decide, startSession } from '../../../src/session/decide.ts';
import { evaluateMove } from '../../../src/session/evaluate-move.ts';
import { begin, evolve } from '../../../src/session/evolve.ts';
import type { SessionState } from '../../../src/session/session-state.ts';
import { workflow } from '../../support/step-workflows.ts';
import type { ActivitySketch } from '../../support/sessions.ts';
import { graph, sequence } from '../../support/sessions.ts';

type Values = Readonly<Record<string, Json>>;

/** A workflow in which a person decides whether `deploy` is reached. */
interface Subject {
  readonly navigator: Navigator;
  /** The activities that an agent may name in a move. */
  readonly ids: readonly string[];
  /** The activity at which an agent may set `risk`. */
  readonly riskSetIn: string | undefined;
  /** Returns whether a checkpoint is the one at which the person decides. The person never says yes. */
  readonly isDecision: (openCheckpoint: NonNullable<SessionState['gate']>) => boolean;
  /** The options to try at that checkpoint, and at the others. */
  readonly options: { readonly decision: readonly string[]; readonly other: readonly string[] };
}

const inner = ['a', 'b', 'c'];
const setting = fc.oneof(
  fc.constantFrom('high', 'low').map((value) => ({ target: 'risk', value })),
  fc.constantFrom('large', 'small').map((value) => ({ target: 'size', value })),
  fc.boolean().map((value) => ({ target: 'fast', value })),
);
const conditions = fc.constantFrom(undefined, 'size == "small"', 'risk == "high"', 'isFree == true');

function maybe<T>(value: fc.Arbitrary<T>, never = 1): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: never, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

const conditionOf = (key: string, condition: string | undefined): object =>
  condition === undefined ? {} : { [key]: condition };

/** Generates an activity before `review`. Its transitions only lead forward, so every path reaches the person. */
const part = (at: number): fc.Arbitrary<ActivitySketch> => {
  const later = [...inner.slice(at + 1), 'review', 'review'];
  const next = fc.constantFrom(...later);
  const effect = fc.oneof(
    next.map((id) => ({ skipActivities: [id] })),
    setting.map(({ target, value }) => ({ setVariable: { [target]: value } })),
    next.map((id) => ({ transitionTo: id })),
  );
  return fc
    .record({
      to: fc.array(fc.tuple(next, conditions), { minLength: 1, maxLength: 2 }),
      sets: maybe(setting),
      answer: maybe(fc.tuple(effect, conditions, fc.constantFrom('any', 'any', 'any', 'human'))),
      repeated: maybe(next, 10),
    })
    .map(({ to, sets, answer, repeated }) => {
      const loop = { id: 'l', name: 'L', type: 'while', condition: 'isFree == true', maxIterations: 1 };
      const [given, condition, approver] = answer ?? [];
      const options = [{ id: 'take', label: 'Take', effect: given }];
      const checkpoint = { id: `ask-${at}`, name: 'Ask', message: 'Take?', approver, options };
      return {
        id: inner[at] ?? '',
        transitions: [
          ...to.map(([id, open]) => ({ to: id, ...conditionOf('condition', open) })),
          { to: 'review' },
        ],
        ...(sets === undefined ? {} : { exitActions: [{ action: 'set', ...sets }] }),
        ...(repeated === undefined ? {} : { loops: [{ ...loop, activities: [repeated] }] }),
        ...(answer === undefined
          ? {}
          : { checkpoints: [{ ...checkpoint, ...conditionOf('condition', condition) }] }),
      } as ActivitySketch;
    });
};

const activities: fc.Arbitrary<Subject> = fc
  .record({
    parts: fc.tuple(...inner.map((_, at) => part(at))),
    condition: fc.constantFrom(undefined, 'risk == "high"'),
    no: fc.constantFrom(undefined, 'stopped', 'stopped', 'stopped', ...inner),
    riskSetIn: fc.constantFrom(undefined, undefined, ...inner),
    isSkippable: fc.boolean(),
    freeSkips: fc.oneof(fc.constant([]), fc.subarray([...inner, 'review'])),
    hasInitial: fc.boolean(),
    risk: fc.constantFrom('high', 'low'),
    size: fc.constantFrom('large', 'small'),
  })
  .map(({ parts, condition, no, riskSetIn, isSkippable, freeSkips, hasInitial, risk, size }) => {
    const refused = no === undefined ? { setVariable: { isRefused: true } } : { transitionTo: no };
    const approve = {
      id: 'approve',
      name: 'Approve',
      message: 'Deploy?',
      approver: 'human',
      ...conditionOf('condition', condition),
      options: [
        { id: 'yes', label: 'Yes' },
        { id: 'no', label: 'No', effect: refused },
      ],
    };
    const sketches = [
      ...parts,
      {
        id: 'review',
        checkpoints: [approve],
        transitions: [{ to: 'stopped', condition: 'isRefused == true' }, { to: 'deploy' }],
      },
      { id: 'deploy', transitions: [{ to: 'end' }] },
      { id: 'stopped', transitions: [{ to: 'end' }] },
    ] as ActivitySketch[];
    const variables = [
      { name: 'risk', type: 'string', defaultValue: risk, set_by: riskSetIn ?? 'checkpoint' },
      { name: 'size', type: 'string', defaultValue: size, set_by: 'checkpoint' },
      { name: 'fast', type: 'boolean', defaultValue: false, set_by: 'checkpoint' },
      { name: 'isRefused', type: 'boolean', defaultValue: false, set_by: 'approve' },
      { name: 'isFree', type: 'boolean', defaultValue: false },
    ] as const;
    const fast = { id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['review'] };
    // An agent may turn this mode on.
    const free = { id: 'free', name: 'Free', activationVariable: 'isFree', skipActivities: freeSkips };
    return {
      navigator: graph(sketches, {
        variables,
        modes: [...(isSkippable ? [fast] : []), free],
        ...(hasInitial ? { initialActivity: 'a' } : {}),
      }),
      ids: [...inner, 'review', 'deploy', 'stopped'],
      riskSetIn,
      isDecision: ({ checkpoint }) => checkpoint === 'approve',
      options: { decision: ['no'], other: ['take'] },
    };
  });

const steps: fc.Arbitrary<Subject> = fc
  .record({
    before: fc.tuple(...inner.map(() => fc.tuple(conditions, fc.boolean()))),
    runs: conditions,
    confirms: fc.oneof(fc.constant(true), conditions),
    isInLoop: fc.boolean(),
    at: fc.nat(inner.length),
    riskSetIn: fc.constantFrom(...inner, 'sign'),
    size: fc.constantFrom('large', 'small'),
  })
  .map(({ before, runs, confirms = true, isInLoop, at, riskSetIn, size }) => {
    const others = inner.map((id, index) => {
      const [condition, isConfirmed] = before[index] ?? [];
      return {
        id,
        title: id,
        prompt: 'Do it.',
        requireConfirmation: isConfirmed === true,
        ...conditionOf('runCondition', condition),
      };
    });
    const sign = {
      id: 'sign',
      title: 'Sign',
      prompt: 'Sign.',
      requireConfirmation: confirms,
      approver: 'human',
      ...conditionOf('runCondition', runs),
    };
    const loop = { type: 'for', count: 2, maxIterations: 2 };
    const asked = isInLoop ? { id: 'each', title: 'Each', type: 'loop', loop, body: [sign] } : sign;
    const deploy = { id: 'deploy', title: 'Deploy', prompt: 'Deploy.' };
    const variables = [
      { name: 'risk', type: 'string', default: 'high', set_by: riskSetIn },
      { name: 'size', type: 'string', default: size, set_by: 'checkpoint' },
      { name: 'isFree', type: 'boolean' },
    ] as const;
    const all = [...others.slice(0, at), asked, ...others.slice(at), deploy] as Step[];
    return {
      navigator: sequence(workflow(all, { variables })),
      ids: [...inner, ...(isInLoop ? ['each@0::sign', 'each@1::sign'] : ['sign']), 'deploy'],
      riskSetIn,
      isDecision: ({ activity }) => activity.endsWith('sign'),
      options: { decision: ['revise'], other: ['confirm'] },
    };
  });

/** The maximum number of states to search in one session. */
const most = 2000;

interface Search {
  /** The calls after which a session is at `deploy` although the person did not say yes. */
  readonly calls: readonly SessionCommand[] | undefined;
  readonly states: number;
}

/**
 * Searches for calls that reach `deploy` although people never say yes. In a strict session it tries only transitions, and
 * checks that an advisory session accepts the same calls without a warning.
 */
function search(subject: Subject, enforcement: 'advisory' | 'strict'): Search {
  const { navigator } = subject;
  const at = new Date(0).toISOString();
  const decided = (state: SessionState, command: SessionCommand) =>
    decide(state, command, {
      navigator,
      nowMs: 0,
      minResponseMs: 0,
      gates: 'declared',
      judge: () => undefined,
    });
  const first = begin('sid', { at, event: startSession(navigator, { enforcement }) });
  const open: { readonly state: SessionState; readonly calls: readonly SessionCommand[] }[] = [
    { state: first, calls: [] },
  ];
  const seen = new Set([keyOf(first)]);
  for (const { state, calls } of open) {
    if (seen.size > most) break;
    for (const command of commandsIn(state, subject)) {
      const decision = decided(state, command);
      if (!decision.ok) continue;
      if (enforcement === 'strict')
        expect(decided({ ...state, enforcement: 'advisory' }, command)).toMatchObject({
          ok: true,
          warnings: [],
        });
      const next = evolve(state, { at, event: decision.event });
      const key = keyOf(next);
      if (next.status === 'completed' || seen.has(key)) continue;
      seen.add(key);
      if (next.current === 'deploy') return { calls: [...calls, command], states: seen.size };
      open.push({ state: next, calls: [...calls, command] });
    }
  }
  return { calls: undefined, states: seen.size };
}

function commandsIn(state: SessionState, subject: Subject): readonly SessionCommand[] {
  const { navigator, ids, riskSetIn, isDecision, options } = subject;
  const { gate: openCheckpoint, current } = state;
  if (openCheckpoint !== undefined) {
    const isPersons = isDecision(openCheckpoint);
    return (isPersons ? (['human'] as const) : (['agent', 'human'] as const)).flatMap((by) =>
      (isPersons ? options.decision : options.other).map((option): SessionCommand => ({
        kind: 'answer',
        mode: { kind: 'option', option },
        by,
      })),
    );
  }
  const place = navigator.place(current ?? '', state);
  const manifest =
    current === undefined ? {} : { manifest: place.steps.map(({ id }) => ({ step_id: id, output: 'Done' })) };
  const isRiskFree = riskSetIn !== undefined && current?.split('::').at(-1) === riskSetIn;
  const risks: readonly Values[] = isRiskFree ? [{}, { risk: 'low' }, { risk: 'high' }] : [{}];
  const moves = risks
    .flatMap((risk) => [true, false].map((isFree): Values => ({ ...risk, isFree })))
    .map((variables) => ({ kind: 'move' as const, ...manifest, variables }));
  const targets = (move: (typeof moves)[number]): readonly string[] => {
    if (state.enforcement === 'advisory') return ids;
    const { transitions } = evaluateMove(state, move, navigator);
    return transitions.flatMap(({ target }) => (target.kind === 'end' ? [] : [target.id]));
  };
  return [
    ...place.checkpoints.map(({ id }): SessionCommand => ({ kind: 'yield', checkpointId: id })),
    ...moves.flatMap((move) => [...new Set(targets(move))].map((activityId) => ({ ...move, activityId }))),
  ];
}

/** Returns the part of a state on which the next calls depend. `isFree` is left out, because each move sets it. */
function keyOf({
  current,
  completed,
  variables,
  skipped,
  expected,
  gate: openCheckpoint,
  answered,
}: SessionState): string {
  const given = answered.map(({ checkpoint, answer, iteration = '' }) => [
    `${checkpoint} ${iteration}`,
    answer.kind === 'dismissed' ? null : answer.option,
  ]);
  const { isFree: _isFree, ...others } = variables;
  return canonicalJson([
    current ?? null,
    completed.toSorted(),
    others,
    skipped.toSorted(),
    expected ?? null,
    openCheckpoint?.checkpoint ?? null,
    Object.fromEntries(given),
  ]);
}

test.each([
  ['activity workflow', activities, isLong ? 3000 : 12],
  ['step workflow', steps, isLong ? 3000 : 12],
])(
  'Moves without a transition cannot pass a person that the transitions lead to: %s',
  { timeout: isLong ? 3_600_000 : 60_000 },
  (kind, subject, numRuns) => {
    const figures = { workflows: 0, 'past the person by transitions': 0, states: 0 };
    fc.assert(
      fc.property(subject, (drawn) => {
        const legal = search(drawn, 'strict');
        figures.workflows += 1;
        figures.states += legal.states;
        if (legal.calls !== undefined) figures['past the person by transitions'] += 1;
        else {
          const { calls, states } = search(drawn, 'advisory');
          figures.states += states;
          expect(calls).toBeUndefined();
        }
      }),
      { numRuns },
    );
    printFigures(`moves without a transition, ${kind}`, figures);
  },
);
