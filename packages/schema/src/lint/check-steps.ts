import { messages } from '../messages/workflow.ts';
import type { Finding } from '../findings/finding.ts';
import { describePlace, didYouMean, repeats } from '../findings/finding.ts';
import { longPromptLength, maxDepth } from '../limits.ts';
import type { LoopStep, Step, StepWorkflowDefinition } from '../workflow/step-workflow.ts';
import type { WalkedStep } from '../workflow/walk.ts';
import { conditionsOfStep, walkSteps } from '../workflow/walk.ts';
import { lintFields, checkStepEvidence } from './check-outputs.ts';
import { lintLoopNames, lintStepVariables, lintVariableNames, namesSetBy } from './check-step-variables.ts';
import type { VariablesOf } from './variable-uses.ts';
import { rootOf, settableAnywhere } from './variable-uses.ts';

export function lintDefinition(
  definition: StepWorkflowDefinition,
  variablesOf: VariablesOf = () => [],
): readonly Finding[] {
  return [
    ...versionFindings(definition),
    ...promptFindings(definition),
    ...lintVariableNames(definition, variablesOf),
    ...lintStepVariables(definition),
    ...lintLoopNames(definition),
    ...lintFields(definition),
    ...lintStepDecisions(definition, variablesOf),
    ...ineffectiveSettings(definition),
  ];
}

function versionFindings({ version }: StepWorkflowDefinition): readonly Finding[] {
  if (version !== undefined) return [];
  const repair = { kind: 'append', behind: '/description', key: 'version', value: '1.0.0' } as const;
  return [{ ...messages.missingVersion(), pointer: '', repair }];
}

function* promptFindings(definition: StepWorkflowDefinition): Generator<Finding> {
  for (const { step, pointer } of walkSteps(definition.steps)) {
    if (step.type === 'loop' || step.prompt.length <= longPromptLength) continue;
    const length = [...step.prompt].length;
    if (length <= longPromptLength) continue;
    const place = `${pointer}/prompt`;
    yield { ...messages.longPrompt(length, describePlace(definition, place)), pointer: place };
  }
}

/** Warns about `reversible` where it has no effect. */
function* ineffectiveSettings({ steps }: StepWorkflowDefinition): Generator<Finding> {
  for (const { step, pointer } of walkSteps(steps)) {
    if (step.type === 'loop' || step.reversible !== true) continue;
    const isAsked = (step.requireConfirmation ?? false) !== false;
    if (isAsked && step.approver !== 'human') continue;
    const why = isAsked ? 'needs a person' : 'not asked';
    yield { ...messages.neverReversed(step.id, why), pointer: `${pointer}/reversible` };
  }
}

/** Finds duplicate step ids and loop bodies that name a step they can't run. */
export function checkReferences(definition: StepWorkflowDefinition): readonly Finding[] {
  const walked = walkSteps(definition.steps);
  return [...duplicateIds(walked), ...wrongBodies(walked), ...checkStepEvidence(definition)];
}

function* duplicateIds(walked: readonly WalkedStep[]): Generator<Finding> {
  for (const { repeated, first } of repeats(walked.map(({ step: { id }, pointer }) => ({ id, pointer }))))
    yield { ...messages.duplicateStepId(repeated.id, first.pointer), pointer: `${repeated.pointer}/id` };
}

interface NamedBody {
  readonly loop: string;
  readonly body: string;
  readonly pointer: string;
}

function* wrongBodies(walked: readonly WalkedStep[]): Generator<Finding> {
  const siblings = siblingsOf(walked);
  const named: NamedBody[] = [];
  for (const { step, pointer } of walked) {
    if (step.type !== 'loop' || typeof step.body !== 'string') continue;
    const body = { loop: step.id, body: step.body, pointer: `${pointer}/body` };
    const beside = siblings.get(listOf(pointer)) ?? new Set();
    if (beside.has(step.body)) named.push(body);
    else yield bodyFinding(body, beside);
  }
  yield* endlessLoops(named);
}

/** Returns the step ids of each list, by the pointer of the list. */
function siblingsOf(walked: readonly WalkedStep[]): ReadonlyMap<string, ReadonlySet<string>> {
  const siblings = new Map<string, Set<string>>();
  for (const { step, pointer } of walked) {
    const ids = siblings.get(listOf(pointer)) ?? new Set();
    siblings.set(listOf(pointer), ids.add(step.id));
  }
  return siblings;
}

function listOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'));
}

function bodyFinding({ loop, body, pointer }: NamedBody, beside: ReadonlySet<string>): Finding {
  const meant = didYouMean(
    body,
    [...beside].filter((id) => id !== loop),
  );
  return { ...messages.unknownBody(loop, body, meant), pointer };
}

/** Finds loops whose named bodies lead back to them, or nest deeper than a definition may. */
function* endlessLoops(named: readonly NamedBody[]): Generator<Finding> {
  const bodies = new Map(named.map(({ loop, body }) => [loop, body]));
  const reported = new Set<string>();
  for (const { loop, pointer } of named) {
    const chain = chainFrom(loop, bodies);
    const goesBack = chain.at(-1) === loop;
    if ((!goesBack && chain.length <= maxDepth) || chain.some((id) => reported.has(id))) continue;
    for (const id of chain) reported.add(id);
    const problem = goesBack ? messages.bodyLeadsBack(loop, chain) : messages.tooManyNamedBodies(loop);
    yield { ...problem, pointer };
  }
}

/** Follows the named bodies of a loop up to a repeated id, a step that names none, or one level too many. */
function chainFrom(loop: string, bodies: ReadonlyMap<string, string>): readonly string[] {
  const chain = new Set<string>();
  for (let next = bodies.get(loop); next !== undefined && !chain.has(next); next = bodies.get(next)) {
    chain.add(next);
    if (next === loop || chain.size > maxDepth) break;
  }
  return [...chain];
}

/** A variable that decides whether a person must confirm a step. */
interface DecidingUse {
  readonly name: string;
  readonly pointer: string;
  readonly step: string;
}

/**
 * Warns about variables that decide whether a person must confirm a step although agents may set them anywhere. Reports
 * the first use of each.
 */
function* lintStepDecisions(
  definition: StepWorkflowDefinition,
  variablesOf: VariablesOf,
): Generator<Finding> {
  const isFree = settableAnywhere(definition.variables);
  const reported = new Set<string>();
  for (const { name: path, pointer, step } of decidingUses(definition, variablesOf)) {
    const name = [path, rootOf(path)].find((one) => isFree(one));
    if (name === undefined || reported.has(name)) continue;
    reported.add(name);
    yield { ...messages.agentDecidesConfirmation(name, step), pointer };
  }
}

function* decidingUses({ steps }: StepWorkflowDefinition, variablesOf: VariablesOf): Generator<DecidingUse> {
  const all = walkSteps(steps);
  const pointers = new Map(all.map(({ step, pointer }) => [step, pointer]));
  const runBy = new Map(
    all.flatMap(({ step, loops }) =>
      step.type === 'loop' && typeof step.body === 'string' ? [[step.body, [...loops, step]]] : [],
    ),
  );
  for (const { step, loops } of all) {
    if (step.type === 'loop' || step.approver !== 'human' || (step.requireConfirmation ?? false) === false)
      continue;
    const around = new Set<Step>([step, ...loops]);
    for (const one of around) for (const loop of runBy.get(one.id) ?? []) around.add(loop);
    const set = namesSetBy([...around].filter(isLoop));
    for (const one of around) {
      for (const { name, pointer } of usesOf(one, variablesOf)) {
        if (!set.has(rootOf(name)))
          yield { name, pointer: `${pointers.get(one) ?? ''}${pointer}`, step: step.id };
      }
    }
  }
}

function isLoop(step: Step): step is LoopStep {
  return step.type === 'loop';
}

/** Returns the variables that decide whether a step runs and needs confirmation, and how often a loop runs. */
function* usesOf(step: Step, variablesOf: VariablesOf): Generator<Omit<DecidingUse, 'step'>> {
  for (const { source, pointer } of conditionsOfStep(step)) {
    if (pointer.startsWith('/validationCriteria')) continue;
    for (const name of variablesOf(source)) yield { name, pointer };
  }
  if (step.type !== 'loop') return;
  const { count, items } = step.loop;
  if (typeof count === 'string') yield { name: count, pointer: '/loop/count' };
  if (items !== undefined) yield { name: items, pointer: '/loop/items' };
}
