import type { Condition } from '@workflowlookup/conditions';
import type { Step } from '@workflowlookup/schema';
import { conditionsOfStep, walkSteps } from '@workflowlookup/schema';
import type { CompiledWorkflow, LoopNode, NextStep } from '@workflowlookup/core/decisions';
import {
  findInstances,
  parseInstanceId,
  roundPrefix,
  searchNext,
  stepAt,
} from '@workflowlookup/core/decisions';
import { readProgress } from '@workflowlookup/core/decisions';
import type { Clause } from './compiled-conditions.ts';
import { compileConditions } from './compiled-conditions.ts';
import type { Outcomes, StateTransition, BranchResult } from './state-graph.ts';

/** A step workflow, and the locations of its steps. */
export interface StepPaths {
  readonly compiled: CompiledWorkflow;
  readonly pointers: ReadonlyMap<string, string>;
  /** By step: conditions that are evaluated while it is done and that do not decide whether it is. */
  readonly during: ReadonlyMap<string, readonly Clause[]>;
}

/** Makes a step workflow ready. */
export function stepPaths(compiled: CompiledWorkflow): StepPaths {
  const walked = [...walkSteps(compiled.workflow.definition.steps)];
  return {
    compiled,
    pointers: new Map(walked.map(({ step, pointer }) => [step.id, pointer])),
    during: new Map(walked.map(({ step }) => [step.id, clausesDuring(step)])),
  };
}

export function clausesDuring(step: Step): readonly Clause[] {
  return compileConditions(conditionsOfStep(step)).filter(
    ({ pointer }) => pointer !== '/runCondition' && pointer !== '/loop/condition',
  );
}

export function resultsOfMove(
  paths: StepPaths,
  transition: StateTransition,
  outcomes: Outcomes,
): readonly BranchResult[] {
  const { after, command } = transition;
  if (command.kind !== 'move') return [];
  const { compiled } = paths;
  const { next, failed } = searchNext(compiled, readProgress(compiled, after.completed), after.variables);
  return [
    ...failed.map(({ stepId, condition }) =>
      turn(paths, stepId, { key: keyOf(compiled, stepId, condition), holds: false }),
    ),
    ...foundResults(paths, next),
    ...untilResults(paths, transition),
    ...resultsOnLeaving(paths, transition, outcomes),
  ];
}

function turn(
  { pointers }: StepPaths,
  stepId: string,
  { key, holds }: { readonly key: string; readonly holds: boolean },
): BranchResult {
  return { pointer: `${pointers.get(stepId) ?? ''}/${key}`, holds };
}

function keyOf({ standings }: CompiledWorkflow, stepId: string, condition: Condition): string {
  const nodes = standings.get(stepId) ?? [];
  const isLoop = nodes.some(({ node }) => node.kind === 'loop' && node.condition === condition);
  return isLoop ? 'loop/condition' : 'runCondition';
}

/** A step that was found shows that every condition around it was true. */
function foundResults(paths: StepPaths, next: NextStep): readonly BranchResult[] {
  if (next.kind !== 'step') return [];
  const [instance] = findInstances(paths.compiled, next.instanceId);
  const loops = instance?.standing.loops ?? [];
  return [
    ...[...loops, next.node]
      .filter(({ runs }) => runs !== undefined)
      .map(({ step }) => turn(paths, step.id, { key: 'runCondition', holds: true })),
    ...loops
      .filter(({ condition }) => condition !== undefined)
      .map(({ step }) => turn(paths, step.id, { key: 'loop/condition', holds: step.loop.type === 'while' })),
  ];
}

/** Returns the result of the condition that ends a loop. */
function untilResults(paths: StepPaths, transition: StateTransition): readonly BranchResult[] {
  return loopsLeft(paths.compiled, transition)
    .filter(({ step: { loop } }) => loop.type === 'until')
    .map(({ step }) => turn(paths, step.id, { key: 'loop/condition', holds: true }));
}

/** Returns whether a step had to be confirmed, and which of its rules applied. */
function resultsOnLeaving(
  { compiled, pointers, during }: StepPaths,
  { before: { current = '' }, after }: StateTransition,
  outcomes: Outcomes,
): readonly BranchResult[] {
  const site = siteOfInstance(current);
  const clauses = during.get(site) ?? [];
  const found = clauses.length === 0 ? undefined : stepAt(compiled, current, after.variables);
  if (found === undefined) return [];
  return clauses.flatMap(({ condition, pointer }) =>
    outcomes(condition, found.context).map((holds) => ({
      pointer: (pointers.get(site) ?? '') + pointer,
      holds,
    })),
  );
}

/** Loops that a move leaves before their bound is reached. */
export function loopsLeft(
  compiled: CompiledWorkflow,
  { before: { current = '' }, command, after }: StateTransition,
): readonly LoopNode[] {
  if (command.kind !== 'move') return [];
  const { rounds = [] } = parseInstanceId(current) ?? {};
  const loops = findInstances(compiled, current)[0]?.standing.loops ?? [];
  let prefix = '';
  return loops.filter(({ step }, depth) => {
    const round = rounds[depth] ?? { loopId: step.id, iteration: 0 };
    const goesOn = after.current?.startsWith(`${prefix}${step.id}@`) === true;
    prefix = roundPrefix(prefix, round);
    return !goesOn && round.iteration + 1 < step.loop.maxIterations;
  });
}

export function siteOfInstance(instance: string): string {
  return parseInstanceId(instance)?.stepId ?? instance;
}
