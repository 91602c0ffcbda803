import type { FileFinding } from '../findings/collect-findings.ts';
import { inFile } from '../findings/collect-findings.ts';
import { messages } from '../messages/workflow.ts';
import type {
  Activity,
  ActivityPart,
  ActivityStep,
  ActivityWorkflow,
} from '../workflow/activity-workflow.ts';
import { conditionsOf, walkActivitySteps } from '../workflow/walk.ts';
import type { VariableScope } from './check-activity-variables.ts';
import { reachedFrom, targetsOf } from './check-activities.ts';
import type { Use, VariablesOf } from './variable-uses.ts';
import {
  settableAnywhere,
  namesSetByEffects,
  namesSetByOptions,
  rootOf,
  unknownSetters,
  usesInConditions,
} from './variable-uses.ts';

/**
 * Warns about definitions that let an agent make a person's decision: an unknown id in `set_by`, conditions before or
 * after a human checkpoint that read a variable which agents may set anywhere, and steps that an agent gets together
 * with the step that asks the person.
 */
export function* checkDecisions(scope: VariableScope): Generator<FileFinding> {
  yield* wrongSetters(scope);
  yield* stepsBehindQuestions(scope);
  const reported = new Set<string>();
  const isFree = settableAnywhere(scope.workflow.definition.variables);
  for (const use of decidingUses(scope)) {
    const name = [use.name, rootOf(use.name)].find((one) => isFree(one));
    if (name === undefined || reported.has(name)) continue;
    reported.add(name);
    const { checkpoint, activity, file, pointer } = use;
    yield { ...messages.agentDecidesCheckpoint(name, checkpoint, activity), file, pointer };
  }
  for (const use of usesAfterDecision(scope)) {
    const { name, option, checkpoint, activity, file, pointer } = use;
    if (reported.has(name)) continue;
    const other = isFree(name) ? undefined : answerBefore(scope.workflow, use);
    if (!isFree(name) && other === undefined) continue;
    reported.add(name);
    const decision = { variable: name, option, checkpoint, activity };
    yield { ...messages.undecidedOption(decision, other), file, pointer };
  }
}

/**
 * A condition that reads a person's decision, the option that doesn't set its variable, and the activity with the
 * condition.
 */
interface LaterUse extends DecidingUse {
  readonly option: string;
  readonly reader: string;
}

/** Returns a checkpoint that an agent may answer before the person and whose answer sets the same variable. */
function answerBefore(workflow: ActivityWorkflow, { name, activity, reader }: LaterUse): string | undefined {
  const { variables = [] } = workflow.definition;
  const { set_by: setBy = [] } = variables.find((one) => one.name === name) ?? {};
  const named = [setBy].flat();
  const setting = workflow.activities.flatMap(({ id, definition: { checkpoints = [] } }) =>
    checkpoints
      .filter((checkpoint) => checkpoint.approver !== 'human' && !named.includes(checkpoint.id))
      .filter((checkpoint) => namesSetByOptions(checkpoint).includes(name))
      .map(({ id: checkpoint }) => ({ checkpoint, from: id })),
  );
  if (setting.length === 0 || !reachedFrom(workflow, [activity]).has(reader)) return undefined;
  return setting.find(({ from }) => reachedFrom(workflow, [from]).has(activity))?.checkpoint;
}

/**
 * Finds conditions that read a variable set by a person's answer, or a path into it, although one option leaves it as an
 * agent may have set it.
 */
function* usesAfterDecision({ workflow, variablesOf }: VariableScope): Generator<LaterUse> {
  for (const { id: activity, definition } of workflow.activities) {
    for (const asked of definition.checkpoints ?? []) {
      const { id: checkpoint, approver, options } = asked;
      if (approver !== 'human') continue;
      const set = new Set(namesSetByOptions(asked));
      for (const part of workflow.activities) {
        for (const use of usesIn(part, { isOf: isTransition, checkpoint, activity, workflow, variablesOf })) {
          const names = [use.name, rootOf(use.name)];
          const name = names.find((one) => set.has(one));
          const option = options.find(({ effect = {} }) =>
            names.every((one) => !Object.hasOwn(effect.setVariable ?? {}, one)),
          );
          if (name !== undefined && option !== undefined)
            yield { ...use, name, option: option.id, reader: part.id };
        }
      }
    }
  }
}

/**
 * Finds names in `set_by` that nothing has, and those that a checkpoint and an activity have: `set_by` then means the
 * checkpoint.
 */
function* wrongSetters({ workflow, file }: VariableScope): Generator<FileFinding> {
  const { definition, activities } = workflow;
  const { variables = [] } = definition;
  const ids = new Set(activities.map(({ id }) => id));
  const checkpoints = new Set(
    activities.flatMap((part) => (part.definition.checkpoints ?? []).map(({ id }) => id)),
  );
  for (const [at, { name, set_by: setBy = [] }] of variables.entries()) {
    for (const id of [setBy].flat())
      if (checkpoints.has(id) && ids.has(id))
        yield { ...messages.ambiguousSetter(name, id), file, pointer: `/variables/${at}/set_by` };
  }
  const known = new Set(['agent', 'checkpoint', ...ids, ...checkpoints]);
  yield* inFile({ file, pointer: '' }, unknownSetters(variables, known, messages.unknownSetter));
}

/**
 * Finds required steps after a step that asks a person. An agent gets all steps of an activity at once, and the server
 * requires the answer only when the agent leaves the activity.
 */
function* stepsBehindQuestions({ workflow }: Pick<VariableScope, 'workflow'>): Generator<FileFinding> {
  for (const { id: activity, definition, file, pointer } of workflow.activities) {
    const { steps = [], checkpoints = [] } = definition;
    for (const { id: checkpoint, approver } of checkpoints) {
      const asking = steps.findIndex((step) => step.checkpoint === checkpoint);
      if (approver !== 'human' || asking === -1) continue;
      const at = steps.findIndex((step, place) => place > asking && isUnconditional(step));
      const step = steps[at];
      if (step === undefined) continue;
      const problem = messages.stepBehindQuestion(step.id, checkpoint, activity);
      yield { ...problem, file, pointer: `${pointer}/steps/${at}` };
    }
  }
}

/**
 * A step with a condition does not count, because the condition can read the answer and leave the step out until then.
 */
function isUnconditional({ required, when, condition }: ActivityStep): boolean {
  return required !== false && when === undefined && condition === undefined;
}

/** A variable read by a condition that decides whether a human checkpoint is reached. */
interface DecidingUse extends Use {
  readonly file: string;
  readonly checkpoint: string;
  readonly activity: string;
}

function* decidingUses(scope: VariableScope): Generator<DecidingUse> {
  const guarded = new Map(scope.workflow.activities.flatMap(humanCheckpointOf));
  if (guarded.size === 0) return;
  const uses = [...usesBeforeCheckpoint(scope, guarded)];
  yield* uses;
  yield* usesOfModes(scope, guarded, new Set(uses.map(({ name }) => name)));
}

/** Finds variables in the conditions that lead to human checkpoints. */
function* usesBeforeCheckpoint(
  { workflow, variablesOf }: VariableScope,
  guarded: ReadonlyMap<string, string>,
): Generator<DecidingUse> {
  for (const part of workflow.activities) {
    for (const [activity, checkpoint] of guarded) {
      const isOf =
        activity === part.id
          ? decidesCheckpoint(part.definition, checkpoint)
          : decidesTransitionTo(part.definition, activity);
      yield* usesIn(part, { isOf, checkpoint, activity, workflow, variablesOf });
    }
  }
}

/**
 * Finds the activation variables of modes that skip a human checkpoint, or an activity that decides whether one is
 * reached.
 */
function* usesOfModes(
  { workflow, file }: VariableScope,
  guarded: ReadonlyMap<string, string>,
  deciding: ReadonlySet<string>,
): Generator<DecidingUse> {
  for (const [at, { activationVariable: name, skipActivities = [] }] of (
    workflow.definition.modes ?? []
  ).entries()) {
    const skipped = workflow.activities.filter(({ id }) => skipActivities.includes(id));
    const activity =
      skipActivities.find((id) => guarded.has(id)) ??
      skipped.flatMap((part) => activitiesDecidedBy(part, workflow, guarded, deciding))[0];
    const checkpoint = guarded.get(activity ?? '');
    if (activity === undefined || checkpoint === undefined) continue;
    yield { name, file, pointer: `/modes/${at}/activationVariable`, checkpoint, activity };
  }
}

/**
 * Returns the activities with a human checkpoint that another activity can cause to be reached or not: its answers name
 * the next activity or skip some, its loop leads there, or it sets a variable that decides whether the checkpoint is
 * reached.
 */
function activitiesDecidedBy(
  { id, definition }: ActivityPart,
  workflow: ActivityWorkflow,
  guarded: ReadonlyMap<string, string>,
  deciding: ReadonlySet<string>,
): readonly string[] {
  const targets = [...targetsOf(definition)];
  const isChoosing =
    targets.some(({ pointer }) => pointer.startsWith('/checkpoints/')) ||
    namesSetByEffects(definition).some((name) => deciding.has(name));
  const repeated = targets.filter(({ pointer }) => pointer.startsWith('/loops/')).map((target) => target.id);
  const others = { activities: workflow.activities.filter((one) => one.id !== id) };
  const reached = isChoosing ? reachedFrom(workflow, [id]) : reachedFrom(others, repeated);
  return [...guarded.keys()].filter((one) => reached.has(one));
}

/** Returns the activity with its checkpoint that only a person may answer, if it has one. */
function humanCheckpointOf({ id, definition }: ActivityPart): readonly (readonly [string, string])[] {
  const found = (definition.checkpoints ?? []).find(({ approver }) => approver === 'human');
  return found === undefined ? [] : [[id, found.id]];
}

interface UseScope extends Pick<DecidingUse, 'checkpoint' | 'activity'> {
  readonly isOf: (pointer: string) => boolean;
  readonly workflow: ActivityWorkflow;
  readonly variablesOf: VariablesOf;
}

function* usesIn(
  { id, definition, file, pointer }: ActivityPart,
  { isOf, workflow, variablesOf, ...asked }: UseScope,
): Generator<DecidingUse> {
  const conditions = [...conditionsOf(definition)].filter((condition) => isOf(condition.pointer));
  for (const { name, pointer: at } of usesInConditions(conditions, variablesOf)) {
    if (!itemsAt({ id, definition }, workflow, at).includes(rootOf(name)))
      yield { name, file, pointer: pointer + at, ...asked };
  }
  for (const [at, { over }] of (definition.loops ?? []).entries()) {
    const list = `/loops/${at}/over`;
    if (over !== undefined && isOf(list)) yield { name: over, file, pointer: pointer + list, ...asked };
  }
}

/** Returns the names of the loop items at a condition. No agent can set them while the loop runs. */
function itemsAt(
  { id, definition }: Pick<ActivityPart, 'id' | 'definition'>,
  { activities }: ActivityWorkflow,
  pointer: string,
): readonly (string | undefined)[] {
  const around = (definition.loops ?? []).filter((_, at) =>
    ['steps', 'breakCondition'].some((key) => pointer.startsWith(`/loops/${at}/${key}`)),
  );
  const repeating = activities
    .filter((part) => part.id !== id)
    .flatMap((part) => (part.definition.loops ?? []).filter((loop) => loop.activities?.includes(id)));
  return [...around, ...repeating].map(({ variable }) => variable);
}

/**
 * Returns a test for the conditions that decide whether a checkpoint is reached: its own, those of the steps that stop
 * at it, and those of the loops around these steps.
 */
function decidesCheckpoint(activity: Activity, checkpoint: string): (pointer: string) => boolean {
  const at = (activity.checkpoints ?? []).findIndex(({ id }) => id === checkpoint);
  const steps = [...walkActivitySteps(activity)].filter(({ step }) => step.checkpoint === checkpoint);
  const pointers = new Set([
    `/checkpoints/${at}/condition`,
    ...steps.flatMap(({ pointer }) => [`${pointer}/when`, `${pointer}/condition`]),
    ...(activity.loops ?? []).flatMap((loop, nth) =>
      steps.some((one) => one.loop === loop) ? loopPointers(nth) : [],
    ),
  ]);
  return (pointer) => pointers.has(pointer);
}

/** Returns the pointers of the properties that decide how often a loop runs. */
function loopPointers(at: number): readonly string[] {
  return ['condition', 'breakCondition', 'over'].map((key) => `/loops/${at}/${key}`);
}

/**
 * Returns a test for the conditions that decide whether an activity leads to another one: decisions, transitions, and
 * loops that contain the other.
 */
function decidesTransitionTo(activity: Activity, id: string): (pointer: string) => boolean {
  const loops = (activity.loops ?? []).flatMap(({ activities = [] }, at) =>
    activities.includes(id) ? loopPointers(at) : [],
  );
  const leads = leadsTo(activity, id);
  return (pointer) => (leads && isTransition(pointer)) || loops.includes(pointer);
}

function isTransition(pointer: string): boolean {
  return /^\/(transitions|decisions)\//.test(pointer);
}

function leadsTo({ transitions = [], decisions = [] }: Activity, id: string): boolean {
  return (
    transitions.some(({ to }) => to === id) ||
    decisions.some(({ branches }) => branches.some(({ transitionTo }) => transitionTo === id))
  );
}
