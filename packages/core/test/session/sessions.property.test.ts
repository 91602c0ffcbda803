import { isJsonObject } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong } from '../../../../test/support/is-long.ts';
import { printFigures } from '../../../../test/support/print-figures.ts';
import { workflow } from '../support/step-workflows.ts';
import type { SessionCommand, Decision } from '../../src/session/command.ts';
import { begin, evolve } from '../../src/session/evolve.ts';
import type { Navigator } from '../../src/navigation/navigator.ts';
import type { SessionState } from '../../src/session/session-state.ts';
import { statusOf } from '../../src/session/status.ts';
import { sessionPosition } from '../../src/session/evaluate-move.ts';
import type { Draw } from '../support/reference-model/arbitrary-commands.ts';
import { draw, moveOf } from '../support/reference-model/arbitrary-commands.ts';
import { graphSketch, stepSketches } from '../support/arbitrary-workflows.ts';
import type { Walk } from '../support/sessions.ts';
import { codeOf, graph, manifest, sequence, walk } from '../support/sessions.ts';
import { graphWorld } from '../support/reference-model/graph.ts';
import type { ModelMove, Rules, Verdict } from '../support/reference-model/model.ts';
import { moveModel, newModel, pauseModel } from '../support/reference-model/model.ts';
import { honestWork } from '../support/reference-model/work.ts';
import { sequenceWorld } from '../support/reference-model/sequence.ts';
import type { Model, World } from '../support/reference-model/world.ts';
import type { SessionEvent } from '../../src/session/session-event.ts';

/** The number of sessions for each kind of workflow. The long form has a million in all. */
const runs = { numRuns: isLong ? 500_000 : 50 };
const followed = { numRuns: isLong ? 100_000 : 50 };
const timeout = isLong ? 10_800_000 : 60_000;

const rules: fc.Arbitrary<Rules> = fc.record({
  isStrict: fc.boolean(),
  isHuman: fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
});
const draws = fc.array(draw, { maxLength: 25 });

/** Workflows, each as the navigator and as the reference model see it. */
const subjects: Readonly<Record<string, fc.Arbitrary<{ navigator: Navigator; world: World }>>> = {
  'activity workflow': graphSketch.map((sketch) => ({
    navigator: graph(sketch.activities, sketch.more),
    world: graphWorld(sketch),
  })),
  'step workflow': stepSketches.map((steps) => ({
    navigator: sequence(workflow(steps)),
    world: sequenceWorld(steps),
  })),
};

function commandOf({ target, manifest: ids, variables }: ModelMove): SessionCommand {
  return {
    kind: 'move',
    ...(target === undefined ? {} : { activityId: target }),
    ...(ids === undefined ? {} : manifest(...ids)),
    variables,
  };
}

function pauseOf(
  drawn: Exclude<Draw, { kind: 'move' }>,
  state: SessionState,
  navigator: Navigator,
): SessionCommand {
  if (drawn.kind === 'yield') return { kind: 'yield', checkpointId: drawn.checkpoint };
  if (drawn.kind === 'abandon') return drawn;
  const { mode, by } = drawn;
  if (mode === 'auto-advance' || mode === 'condition-not-met')
    return { kind: 'answer', mode: { kind: mode }, by };
  const checkpoints = state.gate === undefined ? [] : navigator.place(state.gate.activity, state).checkpoints;
  const options = checkpoints.find(({ id }) => id === state.gate?.checkpoint)?.options ?? [];
  const option = { first: options[0]?.id, second: options[1]?.id, unknown: 'nothing' }[mode];
  return { kind: 'answer', mode: { kind: 'option', option: option ?? 'nothing' }, by };
}

/** Gives one command to the session and to the model, and returns both results. */
function give(
  draft: Draw,
  on: { session: Walk; model: Model; world: World; navigator: Navigator; rules: Rules },
) {
  const { session, model, world, navigator } = on;
  const [open] = honestWork(world, model).open;
  const drawn =
    draft.kind === 'yield' && draft.checkpoint === 'open'
      ? { ...draft, checkpoint: open?.id ?? 'g0' }
      : draft;
  if (drawn.kind === 'answer') session.nowMs += drawn.afterMs;
  const isMove = drawn.kind === 'move';
  const move = isMove ? moveOf(drawn, world, model) : undefined;
  const command = isMove ? undefined : pauseOf(drawn, session.state, navigator);
  const decision = session.do(move === undefined ? (command ?? { kind: 'abandon' }) : commandOf(move));
  const expected =
    move === undefined
      ? pauseModel(world, model, {
          draw: drawn as Exclude<Draw, { kind: 'move' }>,
          rules: on.rules,
          nowMs: session.nowMs,
        })
      : moveModel(world, model, { move, rules: on.rules });
  return { found: verdictOf(decision), expected };
}

/** Returns the result of a command. A warning about `maxIterations` does not count: the move still follows the workflow. */
function verdictOf(decision: ReturnType<Walk['do']>): Verdict {
  if (!decision.ok) return 'refused';
  return decision.warnings.some((warning) => !warning.includes('maxIterations')) ? 'warned' : 'clean';
}

/** Returns the parts of a state that the model has too. */
function viewOf(state: SessionState) {
  const {
    revision,
    status,
    current,
    completed,
    variables,
    skipped,
    expected,
    gate: openCheckpoint,
    visits,
  } = state;
  return {
    revision,
    ended: status === 'completed',
    current,
    completed,
    visits: new Map(Object.entries(visits)),
    vars: variables,
    skipped: [...skipped].toSorted(),
    expected,
    gate: openCheckpoint?.checkpoint,
  };
}

function viewOfModel({
  revision,
  ended,
  current,
  completed,
  visits,
  vars,
  skipped,
  expected,
  openCheckpoint,
}: Model) {
  const skips = [...new Set(skipped)].toSorted();
  return {
    revision,
    ended,
    current,
    completed,
    visits,
    vars,
    skipped: skips,
    expected,
    gate: openCheckpoint?.id,
  };
}

function expectReplay({ state, journal }: Walk): void {
  const [first, ...rest] = structuredClone(journal);
  if (first?.event.type !== 'session-started')
    throw new Error('The journal must begin with session-started.');
  const { at, event } = first;
  const replayed = rest.reduce(evolve, begin(state.sid, { at, event }));
  expect(replayed).toEqual(state);
  expect(state.revision).toBe(journal.length);
}

function expectShut(session: Walk, places: readonly string[]): void {
  for (const target of [undefined, 'end', ...places]) {
    expect(codeOf(session.move(target))).toBe('CHECKPOINT_OPEN');
  }
}

function start(navigator: Navigator, { isStrict, isHuman }: Rules): Walk {
  return walk(navigator, {
    enforcement: isStrict ? 'strict' : 'advisory',
    gates: isHuman ? 'human' : 'declared',
  });
}

test.each(Object.entries(subjects))(
  'Every command has the result that the reference model predicts: %s',
  { timeout },
  (kind, subject) => {
    let sessions = 0;
    const verdicts = { clean: 0, warned: 0, refused: 0 };
    fc.assert(
      fc.property(subject, rules, draws, ({ navigator, world }, played, commands) => {
        const session = start(navigator, played);
        const model = newModel(world, played.isHuman);
        sessions += 1;
        for (const drawn of commands) {
          const { completed } = session.state;
          const { found, expected } = give(drawn, { session, model, world, navigator, rules: played });
          expect(found).toBe(expected);
          verdicts[found] += 1;
          expect(viewOf(session.state)).toEqual(viewOfModel(model));
          expect(session.state.completed.slice(0, completed.length)).toEqual(completed);
          if (played.isStrict) expect(found).not.toBe('warned');
          if (session.state.gate !== undefined) expectShut(session, world.places.slice(0, 3));
        }
        expectReplay(session);
      }),
      runs,
    );
    printFigures(`random commands against the model, ${kind}`, { sessions, ...verdicts, divergences: 0 });
  },
);

/** Moves a session, or abandons it if the move is refused because a person may still have to be asked. */
function moveOrAbandon(session: Walk, ...move: Parameters<Walk['move']>): Decision<SessionEvent> {
  const decision = session.move(...move);
  const isHeld = !decision.ok && decision.data?.['reason'] === 'needs-person';
  return isHeld ? session.do({ kind: 'abandon' }) : decision;
}

/** Returns whether the session is at an activity whose loop has no iterations left for it. */
function isOutOfIterations({ state }: Walk, navigator: Navigator): boolean {
  return navigator.ahead(sessionPosition(state, navigator)).closedAt !== undefined;
}

/** Makes the first call that the status names. If the session lacks a variable, the call also sets it, or the session ends. */
function followStatus(session: Walk, navigator: Navigator): void {
  const { next, obstacle } = statusOf(session.state, navigator);
  const call = next.find(({ kind }) => kind === 'yield' || kind === 'answer' || kind === 'move');
  const decision = (() => {
    switch (call?.kind) {
      case 'yield':
        return session.yield(call.checkpoint);
      case 'answer':
        return session.choose(call.options[0] ?? '', 'human');
      case 'move': {
        if (call.undecided !== undefined) return moveOrAbandon(session, 'end', manifest(...call.steps));
        const isOut = isOutOfIterations(session, navigator);
        const more = {
          ...manifest(...call.steps),
          ...(obstacle === undefined || isOut ? {} : { variables: { items: ['x'], missing: [] } }),
        };
        return isOut ? moveOrAbandon(session, call.activity, more) : session.move(call.activity, more);
      }
      default:
        return session.do({ kind: 'abandon' });
    }
  })();
  expect(verdictOf(decision)).toBe('clean');
}

/** Workflows whose loops name their activities in order. If one led back to an earlier one, an iteration might never end. */
const plain = graphSketch.map(({ activities, more }) =>
  graph(
    activities.map(({ loops, ...activity }) => ({
      ...activity,
      required: false,
      ...(loops && {
        loops: loops.map((loop) => ({ ...loop, activities: (loop.activities ?? []).toSorted() })),
      }),
    })),
    more,
  ),
);

test.each([
  ['activity workflow', plain],
  ['step workflow', stepSketches.map((steps) => sequence(workflow(steps)))],
])(
  'An agent that only makes the calls in the status is never refused or warned, and reaches the end: %s',
  { timeout },
  (kind, subject) => {
    let made = 0;
    fc.assert(
      fc.property(subject, fc.boolean(), (navigator, isStrict) => {
        const session = start(navigator, { isStrict, isHuman: false });
        for (let calls = 0; session.state.status === 'active'; calls += 1) {
          followStatus(session, navigator);
          expect(calls).toBeLessThan(1000);
          made += 1;
        }
        expectReplay(session);
      }),
      followed,
    );
    printFigures(`calls that a status names, ${kind}`, {
      sessions: followed.numRuns,
      calls: made,
    });
  },
);

test('A journal contains only JSON', () => {
  fc.assert(
    fc.property(plain, draws, (navigator, commands) => {
      const session = start(navigator, { isStrict: false, isHuman: false });
      for (const drawn of commands) {
        if (drawn.kind === 'move') session.move(undefined, { variables: drawn.variables });
        else session.do(pauseOf(drawn, session.state, navigator));
      }
      const saved = { state: session.state, journal: session.journal };
      expect(isJsonObject(saved)).toBe(true);
      expect(JSON.parse(JSON.stringify(saved))).toEqual(saved);
    }),
  );
});
