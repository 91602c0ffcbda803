import type { Activity } from './activity.ts';
import type { ActivityPart, ActivityWorkflow } from './activity-workflow.ts';
import type { VariablesOf, VariableScope } from './check-variables.ts';
import type { FileFinding } from './file-finding.ts';
import { reachedFrom, targetsOf } from './check-targets.ts';
import { freeNames, namesSetByEffects, namesSetByOptions } from './names-set.ts';
import { createSuggester } from './suggester.ts';
import { conditionsOf, walkActivitySteps } from './walk-activity.ts';

/** Words of `set_by` that are not ids. A checkpoint hides an activity of the same id. */
const words = ['agent', 'checkpoint'];

/**
 * What would let an agent decide in place of a person: `set_by` that names nobody, and conditions on the way past a
 * checkpoint of a person, or after it, that read a variable which agents may set anywhere.
 */
export function* checkDecisions(scope: VariableScope): Generator<FileFinding> {
  yield* unknownSetters(scope);
  const told = new Set<string>();
  const isFree = freeNames(scope.workflow.definition.variables);
  for (const use of decidingUses(scope)) {
    const name = [use.name, use.name.split('.', 1)[0] ?? ''].find((one) => isFree(one));
    if (name === undefined || told.has(name)) continue;
    told.add(name);
    yield {
      severity: 'warning',
      code: 'open-decision',
      file: use.file,
      pointer: use.pointer,
      message: `Variable '${name}' decides whether a person answers checkpoint '${use.checkpoint}' of '${use.activity}', and agents may set it anywhere`,
      suggestion: `Declare '${name}' with set_by, which says who sets it, such as set_by: checkpoint, or set_by: [id-of-an-activity]`,
    };
  }
  for (const use of usesAfter(scope)) {
    const { name, option, checkpoint, activity, file, pointer } = use;
    if (told.has(name)) continue;
    const other = isFree(name) ? undefined : answerBefore(scope.workflow, use);
    if (!isFree(name) && other === undefined) continue;
    told.add(name);
    const [before, remedy] =
      other === undefined
        ? ['agents may set it', 'declare it with set_by, such as set_by: checkpoint']
        : [
            `an agent's answer to checkpoint '${other}' may set it`,
            `let only a person answer '${other}', with approver: human`,
          ];
    yield {
      severity: 'warning',
      code: 'open-decision',
      file,
      pointer,
      message: `Variable '${name}' is what a person decides at checkpoint '${checkpoint}' of '${activity}', but option '${option}' leaves it as it is, and ${before} before`,
      suggestion: `Set '${name}' in each option, or ${remedy}`,
    };
  }
}

/** A use of what a person decides, the option that leaves it as it is, and the activity that uses it. */
interface UseAfter extends DecidingUse {
  readonly option: string;
  readonly reader: string;
}

/** A checkpoint that an agent may answer before the person decides, and whose answer sets what is used afterwards. */
function answerBefore(workflow: ActivityWorkflow, { name, activity, reader }: UseAfter): string | undefined {
  const { variables = [] } = workflow.definition;
  const { set_by: setBy = [] } = variables.find((one) => one.name === name) ?? {};
  const named = [setBy].flat();
  const setting = workflow.activities.flatMap(({ id, definition: { checkpoints = [] } }) =>
    checkpoints
      .filter((gate) => gate.approver !== 'human' && !named.includes(gate.id))
      .filter((gate) => namesSetByOptions(gate).includes(name))
      .map((gate) => ({ checkpoint: gate.id, from: id })),
  );
  if (setting.length === 0 || !reachedFrom(workflow, [activity]).has(reader)) return undefined;
  return setting.find(({ from }) => reachedFrom(workflow, [from]).has(activity))?.checkpoint;
}

/** Conditions that read what an answer of a person decides, though an option leaves it as agents may have set it. */
function* usesAfter({ workflow, variablesOf }: VariableScope): Generator<UseAfter> {
  for (const { id: activity, definition } of workflow.activities) {
    for (const gate of definition.checkpoints ?? []) {
      const { id: checkpoint, approver, options } = gate;
      if (approver !== 'human') continue;
      const set = new Set(namesSetByOptions(gate));
      for (const part of workflow.activities) {
        for (const use of usesIn(part, { isOf: isWay, checkpoint, activity, workflow, variablesOf })) {
          const option = options.find(({ effect }) => !Object.hasOwn(effect?.setVariable ?? {}, use.name));
          if (set.has(use.name) && option !== undefined) yield { ...use, option: option.id, reader: part.id };
        }
      }
    }
  }
}

function* unknownSetters({ workflow, file }: VariableScope): Generator<FileFinding> {
  const { definition, activities } = workflow;
  const checkpoints = new Set(
    activities.flatMap((part) => (part.definition.checkpoints ?? []).map(({ id }) => id)),
  );
  const known = new Set([...words, ...activities.map(({ id }) => id), ...checkpoints]);
  const isBoth = (id: string): boolean => checkpoints.has(id) && activities.some((one) => one.id === id);
  const suggest = createSuggester(known);
  for (const [at, { name, set_by: setBy = [] }] of (definition.variables ?? []).entries()) {
    for (const id of typeof setBy === 'string' ? [setBy] : setBy) {
      const finding = { severity: 'warning', file, pointer: `/variables/${at}/set_by` } as const;
      if (isBoth(id))
        yield {
          ...finding,
          code: 'shadowed-name',
          message: `Variable '${name}' is set by '${id}', which is both an activity and a checkpoint, and means the checkpoint: an agent at the activity can't set it`,
          suggestion: 'Give the checkpoint another id',
        };
      if (known.has(id)) continue;
      yield {
        ...finding,
        code: 'unknown-setter',
        message: `Variable '${name}' is set by '${id}', which is neither an activity nor a checkpoint of the workflow`,
        suggestion: suggest(id, 'Name an activity, a checkpoint, checkpoint or agent'),
      };
    }
  }
}

/** A variable that a condition reads on the way past a checkpoint. */
interface DecidingUse {
  readonly name: string;
  readonly file: string;
  readonly pointer: string;
  readonly checkpoint: string;
  readonly activity: string;
}

function* decidingUses(scope: VariableScope): Generator<DecidingUse> {
  const guarded = new Map(scope.workflow.activities.flatMap(guardedActivity));
  if (guarded.size === 0) return;
  const uses = [...usesOnWay(scope, guarded)];
  yield* uses;
  yield* usesOfModes(scope, guarded, new Set(uses.map(({ name }) => name)));
}

/** What the conditions of activities read on the way to the checkpoints of a person. */
function* usesOnWay(
  { workflow, variablesOf }: VariableScope,
  guarded: ReadonlyMap<string, string>,
): Generator<DecidingUse> {
  for (const part of workflow.activities) {
    const own = guarded.get(part.id);
    if (own !== undefined)
      yield* usesIn(part, {
        isOf: isAskedBy(part.definition, own),
        checkpoint: own,
        activity: part.id,
        workflow,
        variablesOf,
      });
    for (const [activity, checkpoint] of guarded) {
      if (activity === part.id) continue;
      yield* usesIn(part, {
        isOf: isOnWayTo(part.definition, activity),
        checkpoint,
        activity,
        workflow,
        variablesOf,
      });
    }
  }
}

/** The variables of modes that skip a checkpoint of a person, or an activity whose work decides whether one comes. */
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
      skipped.flatMap((part) => decidedBy(part, workflow, { guarded, deciding }))[0];
    const checkpoint = guarded.get(activity ?? '');
    if (activity === undefined || checkpoint === undefined) continue;
    yield { name, file, pointer: `/modes/${at}/activationVariable`, checkpoint, activity };
  }
}

/**
 * Activities with a checkpoint of a person for which the work of another one decides whether the session comes there: an
 * answer names the next activity or skips some, a loop leads there, or what the work sets is read on the way.
 */
function decidedBy(
  { id, definition }: ActivityPart,
  workflow: ActivityWorkflow,
  {
    guarded,
    deciding,
  }: { readonly guarded: ReadonlyMap<string, string>; readonly deciding: ReadonlySet<string> },
): readonly string[] {
  const targets = [...targetsOf(definition)];
  const isChoosing =
    targets.some(({ pointer }) => pointer.startsWith('/checkpoints/')) ||
    namesSetByEffects(definition).some((name) => deciding.has(name));
  const rounds = targets.filter(({ pointer }) => pointer.startsWith('/loops/')).map((target) => target.id);
  const others = { activities: workflow.activities.filter((one) => one.id !== id) };
  const reached = isChoosing ? reachedFrom(workflow, [id]) : reachedFrom(others, rounds);
  return [...guarded.keys()].filter((one) => reached.has(one));
}

/** An activity with a checkpoint that only a person answers. */
function guardedActivity({ id, definition }: ActivityPart): readonly (readonly [string, string])[] {
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
  for (const condition of conditionsOf(definition)) {
    if (!isOf(condition.pointer)) continue;
    const items = itemsAt({ id, definition }, workflow, condition.pointer);
    for (const name of variablesOf(condition.source))
      if (!items.includes(name.split('.', 1)[0]))
        yield { name, file, pointer: pointer + condition.pointer, ...asked };
  }
  for (const [at, { over }] of (definition.loops ?? []).entries()) {
    const list = `/loops/${at}/over`;
    if (over !== undefined && isOf(list)) yield { name: over, file, pointer: pointer + list, ...asked };
  }
}

/** The names of the items that loops set where a condition stands, and that no agent can set while the loop runs. */
function itemsAt(
  { id, definition }: Pick<ActivityPart, 'id' | 'definition'>,
  { activities }: ActivityWorkflow,
  pointer: string,
): readonly (string | undefined)[] {
  const around = (definition.loops ?? []).filter((_, at) =>
    ['steps', 'breakCondition'].some((key) => pointer.startsWith(`/loops/${at}/${key}`)),
  );
  const rounds = activities
    .filter((part) => part.id !== id)
    .flatMap((part) => (part.definition.loops ?? []).filter((loop) => loop.activities?.includes(id)));
  return [...around, ...rounds].map(({ variable }) => variable);
}

/** What decides whether a checkpoint is asked: its condition, those of the steps that stop at it, and the loops around these. */
function isAskedBy(activity: Activity, checkpoint: string): (pointer: string) => boolean {
  const at = (activity.checkpoints ?? []).findIndex(({ id }) => id === checkpoint);
  const steps = [...walkActivitySteps(activity)].filter(({ step }) => step.checkpoint === checkpoint);
  const pointers = new Set([
    `/checkpoints/${at}/condition`,
    ...steps.flatMap(({ pointer }) => [`${pointer}/when`, `${pointer}/condition`]),
    ...(activity.loops ?? []).flatMap((loop, nth) =>
      steps.some((one) => one.loop === loop) ? placesOfLoop(nth) : [],
    ),
  ]);
  return (pointer) => pointers.has(pointer);
}

/** What decides how many iterations or rounds a loop has. */
function placesOfLoop(at: number): readonly string[] {
  return ['condition', 'breakCondition', 'over'].map((key) => `/loops/${at}/${key}`);
}

/** What decides whether an activity leads to another one: its decisions and transitions, and loops that enter the other. */
function isOnWayTo(activity: Activity, id: string): (pointer: string) => boolean {
  const loops = (activity.loops ?? []).flatMap(({ activities = [] }, at) =>
    activities.includes(id) ? placesOfLoop(at) : [],
  );
  const leads = leadsTo(activity, id);
  return (pointer) => (leads && isWay(pointer)) || loops.includes(pointer);
}

function isWay(pointer: string): boolean {
  return /^\/(transitions|decisions)\//.test(pointer);
}

function leadsTo({ transitions = [], decisions = [] }: Activity, id: string): boolean {
  return (
    transitions.some(({ to }) => to === id) ||
    decisions.some(({ branches }) => branches.some(({ transitionTo }) => transitionTo === id))
  );
}
