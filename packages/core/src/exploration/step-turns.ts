import type { Condition } from '@workflowlookup/conditions';
import type { Step } from '@workflowlookup/schema';
import { conditionsOfStep, walkSteps } from '@workflowlookup/schema';
import type { CompiledWorkflow, LoopNode } from '../compile-workflow.ts';
import { parseInstanceId, roundPrefix } from '../instance-id.ts';
import type { NextStep } from '../next-step.ts';
import { searchNext } from '../next-step.ts';
import { findInstances, readProgress } from '../progress.ts';
import { standAt } from '../stand-at.ts';
import type { Clause } from './compile-conditions.ts';
import { compileConditions } from './compile-conditions.ts';
import type { Outcomes } from './outcomes.ts';
import type { Passage, Turn } from './terrain.ts';

/** A step workflow and where its steps stand in the document. */
export interface StepPaths {
  readonly compiled: CompiledWorkflow;
  readonly pointers: ReadonlyMap<string, string>;
  /** By step: conditions that count while it is done, and not for whether it is. */
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

/** Conditions of a step that count while it is done. */
export function clausesDuring(step: Step): readonly Clause[] {
  return compileConditions(conditionsOfStep(step)).filter(
    ({ pointer }) => pointer !== '/runCondition' && pointer !== '/loop/condition',
  );
}

/** How the conditions turned out that a move between two steps has looked at. */
export function turnsOfMove(paths: StepPaths, passage: Passage, outcomes: Outcomes): readonly Turn[] {
  const { after, command } = passage;
  if (command.kind !== 'move') return [];
  const { compiled } = paths;
  const { next, failed } = searchNext(compiled, readProgress(compiled, after.completed), after.variables);
  return [
    ...failed.map(({ stepId, condition }) =>
      turn(paths, stepId, { key: keyOf(compiled, stepId, condition), holds: false }),
    ),
    ...foundTurns(paths, next),
    ...untilTurns(paths, passage),
    ...turnsOnLeaving(paths, passage, outcomes),
  ];
}

function turn(
  { pointers }: StepPaths,
  stepId: string,
  { key, holds }: { readonly key: string; readonly holds: boolean },
): Turn {
  return { pointer: `${pointers.get(stepId) ?? ''}/${key}`, holds };
}

function keyOf({ standings }: CompiledWorkflow, stepId: string, condition: Condition): string {
  const nodes = standings.get(stepId) ?? [];
  const isLoop = nodes.some(({ node }) => node.kind === 'loop' && node.condition === condition);
  return isLoop ? 'loop/condition' : 'runCondition';
}

/** What was found could be found because every condition around it let it. */
function foundTurns(paths: StepPaths, next: NextStep): readonly Turn[] {
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

/** A loop that ends because of what it waits for. */
function untilTurns(paths: StepPaths, passage: Passage): readonly Turn[] {
  return loopsLeft(paths.compiled, passage)
    .filter(({ step: { loop } }) => loop.type === 'until')
    .map(({ step }) => turn(paths, step.id, { key: 'loop/condition', holds: true }));
}

/** Whether a step had to be confirmed, and which of its rules counted. */
function turnsOnLeaving(
  { compiled, pointers, during }: StepPaths,
  { before: { current = '' }, after }: Passage,
  outcomes: Outcomes,
): readonly Turn[] {
  const site = siteOfInstance(current);
  const clauses = during.get(site) ?? [];
  const found = clauses.length === 0 ? undefined : standAt(compiled, current, after.variables);
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
  { before: { current = '' }, command, after }: Passage,
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

/** The step of a document that an instance is one of. */
export function siteOfInstance(instance: string): string {
  return parseInstanceId(instance)?.stepId ?? instance;
}
