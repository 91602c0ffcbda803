import type { Json, Workflow } from '@workflowlookup/schema';
import type { Navigator, SessionCommand, SessionState } from '@workflowlookup/core/decisions';
import { begin, decide, evolve, nextCalls, startSession } from '@workflowlookup/core/decisions';
import { accountForSteps, parseInstanceId, runnableOf } from '@workflowlookup/core/decisions';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong } from '../../../../test/support/is-long.ts';
import { explore } from '../../src/exploration/explore.ts';
import { workflow } from '../../../core/test/support/step-workflows.ts';
import { graphSketch, stepSketches } from '../../../core/test/support/arbitrary-workflows.ts';
import { activityWorkflow } from '../../../core/test/support/sessions.ts';

const runs = { numRuns: isLong ? 3000 : 10 };
// One workflow in a hundred has so many states that exploring it takes longer than exploring the others together.
const size = isLong ? {} : { maxStates: 300 };
const timeout = isLong ? 10_800_000 : 60_000;

const at = '1970-01-01T00:00:00.000Z';
const maxSteps = 80;

/** The variables with which a session can start. */
const given = fc.record(
  {
    d: fc.constantFrom(0, 1, 2),
    m: fc.boolean(),
    items: fc.constantFrom<Json[]>([], ['x'], ['x', 'y', 'z']),
    missing: fc.constantFrom<Json[]>([], ['x']),
  },
  { requiredKeys: ['d', 'm', 'items', 'missing'] },
);

const workflows: Readonly<Record<string, fc.Arbitrary<Workflow>>> = {
  activity: graphSketch.map(({ activities, more }) => activityWorkflow(activities, more)),
  step: stepSketches.map((steps) => workflow(steps)),
};

/** Returns the commands that may be legal in a state. */
function commandsAt(navigator: Navigator, state: SessionState): readonly SessionCommand[] {
  return nextCalls(state, navigator, 'declared').flatMap((call): readonly SessionCommand[] => {
    if (call.kind === 'yield') return [{ kind: 'yield', checkpointId: call.checkpoint }];
    if (call.kind === 'answer') {
      return call.options.map((option) => ({
        kind: 'answer',
        mode: { kind: 'option', option },
        by: 'human',
      }));
    }
    if (call.kind !== 'move') return [];
    const target = call.activity ?? (call.undecided === undefined ? undefined : 'end');
    const named = target === undefined ? {} : { activityId: target };
    if (state.current === undefined) return [{ kind: 'move', ...named }];
    const place = navigator.place(state.current, state);
    const due = accountForSteps(place).required.map(({ id }) => id);
    const all = place.steps.filter((step) => due.includes(step.id) || step.isOptional).map(({ id }) => id);
    return [due, all].map((ids) => ({
      kind: 'move',
      ...named,
      manifest: ids.map((id) => ({ step_id: id, output: 'Done.' })),
    }));
  });
}

/** Follows random commands, and returns the activities and options that it reached. */
function wander(navigator: Navigator, variables: Readonly<Record<string, Json>>, choices: readonly number[]) {
  const event = startSession(navigator, { enforcement: 'strict', variables });
  let state = begin('walk', { at, event });
  const reached = new Set<string>();
  for (const choice of choices.slice(0, maxSteps)) {
    const decisions = commandsAt(navigator, state).map((command) =>
      decide(state, command, {
        navigator,
        nowMs: 0,
        minResponseMs: 0,
        gates: 'declared',
        judge: () => undefined,
      }),
    );
    const legal = decisions.flatMap((decision) => (decision.ok ? [decision.event] : []));
    const next = legal[choice % Math.max(1, legal.length)];
    if (next === undefined || state.status === 'completed') break;
    if (next.type === 'activity-entered')
      reached.add(parseInstanceId(next.activity)?.stepId ?? next.activity);
    if (next.type === 'checkpoint-answered' && next.answer.kind === 'option')
      reached.add(`${next.answer.option} at '${next.checkpoint}'`);
    state = evolve(state, { at, event: next });
  }
  return { reached, state };
}

test.each(Object.entries(workflows))(
  'The exploration of a %s workflow reaches everything that a session can reach',
  (_, arbitrary) => {
    fc.assert(
      fc.property(
        arbitrary,
        given,
        fc.array(fc.nat(1000), { minLength: maxSteps, maxLength: maxSteps }),
        (one, variables, choices) => {
          const { coverage, limit } = explore(one, size);
          fc.pre(limit === undefined);
          const { reached } = wander(runnableOf(one).navigator, variables, choices);
          const missed = [
            ...coverage.sites.missed.map((label) => /^\w+ '([^']+)'$/.exec(label)?.[1]),
            ...(one.kind === 'activities' && one.activities.length === 1
              ? coverage.branches.missed.map(({ text }) => text)
              : []),
          ];
          expect(missed.filter((what) => what !== undefined && reached.has(what))).toEqual([]);
        },
      ),
      runs,
    );
  },
  timeout,
);
