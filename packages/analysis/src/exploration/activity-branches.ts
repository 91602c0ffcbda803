import type { Context } from '@workflowlookup/conditions';
import type { ActivityPart } from '@workflowlookup/schema';
import { conditionsOf, walkActivitySteps } from '@workflowlookup/schema';
import type { Navigator, PlannedLoop, SessionEventOf } from '@workflowlookup/core/decisions';
import { evaluateMove, itemAt, listOf, mostIterations, withItem } from '@workflowlookup/core/decisions';
import type { EvaluatedMove } from '@workflowlookup/core/decisions';
import type { Clause } from './compiled-conditions.ts';
import { compileConditions } from './compiled-conditions.ts';
import type { BoundedLoop, Outcomes, StateTransition, BranchResult } from './state-graph.ts';

/** The conditions of an activity by what they decide. */
export interface ActivityClauses {
  readonly part: ActivityPart;
  readonly steps: readonly {
    readonly id: string;
    readonly loop: string | undefined;
    readonly clauses: readonly Clause[];
  }[];
  /** Conditions of rules and actions. */
  readonly rules: readonly Clause[];
  /** Conditions of decisions, transitions and loops. */
  readonly ways: readonly Clause[];
}

export function activityClauses(part: ActivityPart): ActivityClauses {
  const { definition } = part;
  const all = compileConditions(conditionsOf(definition));
  return {
    part,
    steps: [...walkActivitySteps(definition)].map(({ step, pointer, loop }) => ({
      id: step.id,
      loop: loop?.id,
      clauses: all.filter((clause) => [`${pointer}/when`, `${pointer}/condition`].includes(clause.pointer)),
    })),
    rules: all.filter(({ pointer }) => /\/validationCriteria\/|ctions\//.test(pointer)),
    ways: all.filter(({ pointer }) => /^\/(loops\/\d+\/\w+$|decisions\/|transitions\/)/.test(pointer)),
  };
}

/** An activity workflow as far as turns go. */
export interface ActivityPaths {
  readonly navigator: Navigator;
  readonly activities: ReadonlyMap<string, ActivityClauses>;
}

/** How the conditions of an activity turned out that is left, and which answer was given. */
export function resultsOfTransition(
  paths: ActivityPaths,
  transition: StateTransition,
  outcomes: Outcomes,
): readonly BranchResult[] {
  const { before, command, event } = transition;
  if (event.type === 'checkpoint-answered') return answerOf(paths, event);
  const activity = paths.activities.get(before.current ?? '');
  if (command.kind !== 'move' || activity === undefined) return [];
  const { part, rules, ways } = activity;
  const prospect = evaluateMove(before, command, paths.navigator);
  const turns = [
    ...stepResults(activity, prospect, outcomes).flatMap(({ turns: some }) => some),
    ...checkpointTurns(part, transition),
    // Includes the targets of answers to checkpoints, whose text often repeats a condition.
    ...[...rules, ...ways].flatMap(({ condition, pointer }) =>
      outcomes(condition, prospect.here.variables).map((holds) => ({ pointer, holds })),
    ),
  ];
  return turns.map(({ pointer, holds }) => ({ file: part.file, pointer: part.pointer + pointer, holds }));
}

function answerOf(
  { activities }: ActivityPaths,
  { activity, checkpoint, answer }: SessionEventOf<'checkpoint-answered'>,
): readonly BranchResult[] {
  const part = activities.get(activity)?.part;
  const gates = part?.definition.checkpoints ?? [];
  const at = gates.findIndex(({ id }) => id === checkpoint);
  if (part === undefined || answer.kind === 'dismissed') return [];
  const nth = gates[at]?.options.findIndex(({ id }) => id === answer.option);
  const pointer = `${part.pointer}/checkpoints/${at}`;
  const asked =
    gates[at]?.condition === undefined
      ? []
      : [{ file: part.file, pointer: `${pointer}/condition`, holds: true }];
  return [...asked, { file: part.file, pointer: `${pointer}/options/${nth}`, holds: true }];
}

/** How the conditions of a step turned out, or may turn out. */
interface StepTurns {
  readonly id: string;
  readonly turns: readonly BranchResult[];
  /** Whether the step is required for some values of free variables and not for others. */
  readonly mayBeDue: boolean;
}

/** A required step has both of its conditions true; those of another step are evaluated as they are. */
function stepResults(
  { steps }: ActivityClauses,
  { work }: EvaluatedMove,
  outcomes: Outcomes,
): readonly StepTurns[] {
  if (work === undefined) return [];
  const { place, account } = work;
  const due = new Set(account.required.map(({ id }) => id));
  const context = { ...place.context, ...account.values };
  return steps.map(({ id, loop, clauses }) => {
    const planned = place.loops.find((one) => one.id === loop);
    const seen = itemsOf(planned, context).map((item) => withItem(context, item));
    const isDue = loop === undefined && due.has(id);
    const found = clauses.map(({ condition, pointer }) => ({
      pointer,
      ways: new Set([...(isDue ? [true] : []), ...seen.flatMap((one) => outcomes(condition, one))]),
    }));
    return {
      id,
      mayBeDue: found.every(({ ways }) => ways.has(true)) && found.some(({ ways }) => ways.size > 1),
      turns: found.flatMap(({ pointer, ways }) => [...ways].map((holds) => ({ pointer, holds }))),
    };
  });
}

/** The items a step sees, each under the name its loop gives it; outside of a list, one empty context. */
function itemsOf(loop: PlannedLoop | undefined, context: Context): readonly Context[] {
  if (loop === undefined || listOf(loop, context) === undefined) return [{}];
  const count = mostIterations(loop, context);
  return Array.from({ length: count }, (_, iteration) => itemAt(loop, iteration, context));
}

/** Returns the steps of the activity being left that its manifest names or that could be required too. */
export function stepsReached(
  { navigator, activities }: ActivityPaths,
  { before, command }: StateTransition,
  outcomes: Outcomes,
): readonly string[] {
  const activity = activities.get(before.current ?? '');
  if (command.kind !== 'move' || activity === undefined) return [];
  const prospect = evaluateMove(before, command, navigator);
  const named = (prospect.work?.account.entries ?? []).flatMap((instance) => instance?.step.id ?? []);
  const possible = stepResults(activity, prospect, outcomes).filter(({ mayBeDue }) => mayBeDue);
  return [...named, ...possible.map(({ id }) => id)];
}

/** A checkpoint that was not asked, although its activity is left: its condition was false. */
function checkpointTurns({ definition }: ActivityPart, { before }: StateTransition): readonly BranchResult[] {
  return (definition.checkpoints ?? []).flatMap(({ id, condition }, at) =>
    condition === undefined || before.answered.some(({ checkpoint }) => checkpoint === id)
      ? []
      : [{ pointer: `/checkpoints/${at}/condition`, holds: false }],
  );
}

export interface ActivityBoundedLoop extends BoundedLoop {
  readonly host: string;
  readonly activities: readonly string[];
}

/** Loops over activities that a move leaves although they could have more rounds. */
export function activityLoopsEnded(
  boundedLoops: readonly ActivityBoundedLoop[],
  { before, command, after }: StateTransition,
): readonly BoundedLoop[] {
  const { current = '', loops = [] } = before;
  if (command.kind !== 'move') return [];
  return boundedLoops.filter(({ id, host, activities, maxIterations }) => {
    const states = host === current || activities.includes(current);
    const stays = after.current !== undefined && activities.includes(after.current);
    const done = loops.find(({ activity, loop }) => activity === host && loop === id)?.rounds ?? 0;
    return states && !stays && done > 0 && done < maxIterations;
  });
}
