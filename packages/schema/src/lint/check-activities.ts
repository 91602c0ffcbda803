import type { FileFinding } from '../findings/collect-findings.ts';
import { inFile } from '../findings/collect-findings.ts';
import type { Finding, Placed } from '../findings/finding.ts';
import { createSuggester, didYouMean, placed, repeats } from '../findings/finding.ts';
import { escapePointer } from '../json.ts';
import { messages } from '../messages/workflow.ts';
import type {
  Activity,
  ActivityPart,
  ActivityWorkflow,
  Effect,
  PartBase,
  SkillNames,
  SkillPart,
} from '../workflow/activity-workflow.ts';
import { initialActivityOf, reservedTargets } from '../workflow/activity-workflow.ts';
import type { ReferenceKind, ReferenceLookup } from '../workflow/references.ts';
import { walkActivitySteps } from '../workflow/walk.ts';

/** Finds activities, skills, resources, variables and modes with the same id. */
export function* checkWorkflowIds(workflow: ActivityWorkflow, file: string): Generator<FileFinding> {
  const { variables = [], modes = [] } = workflow.definition;
  yield* repeatedParts('activity', workflow.activities);
  yield* repeatedParts('skill', workflow.skills);
  for (const finding of repeatedParts('resource', workflow.resources))
    yield { ...finding, severity: 'warning' };
  const names = variables.map(({ name }) => ({ id: name }));
  yield* inFile({ file, pointer: '' }, duplicateEntries('name', placed(names, '/variables')));
  yield* inFile({ file, pointer: '' }, duplicateEntries('id', placed(modes, '/modes')));
}

function* duplicateEntries(key: 'name' | 'id', items: readonly Placed<unknown>[]): Generator<Finding> {
  for (const { repeated, first } of repeats(items)) {
    const { id, pointer } = repeated;
    yield { ...messages.duplicateEntry(key, id, first.pointer), pointer: `${pointer}/${key}` };
  }
}

function* repeatedParts(
  kind: string,
  parts: readonly (PartBase & { readonly pointer?: string })[],
): Generator<FileFinding> {
  for (const { repeated, first } of repeats(parts)) {
    const { id, file, pointer = '' } = repeated;
    yield { ...messages.duplicateId(kind, id, `'${first.file}'`), file, pointer: `${pointer}/id` };
  }
}

/**
 * Finds problems within single activities: duplicate ids, unknown checkpoints of steps, unfit default options, and
 * settings without effect.
 */
export function* checkActivities({ activities }: ActivityWorkflow): Generator<FileFinding> {
  for (const part of activities) yield* inFile(part, findingsIn(part));
}

function* findingsIn({ id, definition }: ActivityPart): Generator<Finding> {
  for (const { kind, ids } of namespacesOf(definition)) yield* duplicateIds(kind, ids);
  yield* repeatedSteps(definition);
  yield* missingCheckpoints(definition, id);
  yield* wrongDefaults(definition);
  yield* ineffectiveSettings(definition);
}

/** Finds items of a list whose id an earlier item has. */
export function* duplicateIds(kind: string, items: readonly Placed<unknown>[]): Generator<Finding> {
  for (const { repeated, first } of repeats(items))
    yield { ...messages.duplicateId(kind, repeated.id, first.pointer), pointer: `${repeated.pointer}/id` };
}

/** Returns the lists of an activity whose ids must be unique, each with the kind of its items. */
function* namespacesOf(activity: Activity): Generator<{ kind: string; ids: readonly Placed<unknown>[] }> {
  const { steps, checkpoints = [], decisions = [], loops = [], artifacts } = activity;
  yield { kind: 'step', ids: placed(steps, '/steps') };
  yield { kind: 'checkpoint', ids: placed(checkpoints, '/checkpoints') };
  yield { kind: 'decision', ids: placed(decisions, '/decisions') };
  yield { kind: 'loop', ids: placed(loops, '/loops') };
  yield { kind: 'artifact', ids: placed(artifacts, '/artifacts') };
  for (const [at, loop] of loops.entries())
    yield { kind: 'step', ids: placed(loop.steps, `/loops/${at}/steps`) };
  for (const [at, { options }] of checkpoints.entries())
    yield { kind: 'option', ids: placed(options, `/checkpoints/${at}/options`) };
  for (const [at, { branches }] of decisions.entries())
    yield { kind: 'branch', ids: placed(branches, `/decisions/${at}/branches`) };
}

/** Warns about steps in different lists with the same id: a manifest can only tell them apart as `loop@0::step`. */
function* repeatedSteps(activity: Activity): Generator<Finding> {
  const lists = new Map<string, string | undefined>();
  for (const { step, pointer, loop } of walkActivitySteps(activity)) {
    const first = lists.get(step.id);
    if (!lists.has(step.id)) lists.set(step.id, loop?.id);
    else if (first !== loop?.id)
      yield { ...messages.stepIdInTwoLists(step.id, first, loop?.id), pointer: `${pointer}/id` };
  }
}

function* missingCheckpoints(activity: Activity, id: string): Generator<Finding> {
  const known = new Set((activity.checkpoints ?? []).map((checkpoint) => checkpoint.id));
  const suggest = createSuggester();
  for (const { step, pointer } of walkActivitySteps(activity)) {
    const { checkpoint } = step;
    if (checkpoint === undefined || known.has(checkpoint)) continue;
    yield {
      ...messages.unknownCheckpoint({ step: step.id, checkpoint, activity: id }, suggest(checkpoint, known)),
      pointer: `${pointer}/checkpoint`,
    };
  }
}

/**
 * Finds default options that don't exist, and those that a timer should not choose: it can't write a note, and nobody
 * confirms its choice.
 */
function* wrongDefaults({ checkpoints = [] }: Activity): Generator<Finding> {
  for (const [at, checkpoint] of checkpoints.entries()) {
    const { id, options, defaultOption, autoAdvanceMs, blocking } = checkpoint;
    if (defaultOption === undefined) continue;
    const pointer = `/checkpoints/${at}/defaultOption`;
    const option = options.find((one) => one.id === defaultOption);
    if (option === undefined) {
      const meant = didYouMean(
        defaultOption,
        options.map((one) => one.id),
      );
      yield { ...messages.unknownOption(id, defaultOption, meant), pointer };
    } else if (autoAdvanceMs !== undefined && blocking !== true) {
      if (option.note === 'required') yield { ...messages.unfitDefault(id, option.id, 'note'), pointer };
      else if (option.irreversible === true)
        yield { ...messages.unfitDefault(id, option.id, 'irreversible'), pointer };
    }
  }
}

/** Warns about `reversible` and `may_be_missing` where they don't do what they seem to do. */
function* ineffectiveSettings(activity: Activity): Generator<Finding> {
  for (const [at, checkpoint] of (activity.checkpoints ?? []).entries()) {
    const { id, reversible, defaultOption, approver } = checkpoint;
    if (reversible !== true || (defaultOption !== undefined && approver !== 'human')) continue;
    const why = approver === 'human' ? 'needs a person' : 'no default';
    yield { ...messages.neverReversed(id, why), pointer: `/checkpoints/${at}/reversible` };
  }
  for (const { step, pointer } of walkActivitySteps(activity)) {
    const sets = (step.actions ?? []).some(({ action }) => action === 'set');
    if (step.may_be_missing === true && sets)
      yield { ...messages.setsWhenMissing(step.id), pointer: `${pointer}/may_be_missing` };
  }
}

/** A reference to an activity. */
interface Target {
  readonly id: string;
  readonly pointer: string;
  /** Describes the element that refers to it. */
  readonly by: string;
  /** Set for a transition, which may also name a reserved target. */
  readonly mayEnd: boolean;
}

interface TargetScope {
  readonly workflow: ActivityWorkflow;
  /** Path of the workflow file. */
  readonly file: string;
  /** Ids of activities that exist but can't be used. Naming one is not reported again. */
  readonly broken: ReadonlySet<string>;
}

/** Finds references to unknown activities, and activities that can't be reached. */
export function* checkTargets(scope: TargetScope): Generator<FileFinding> {
  const { workflow, file, broken } = scope;
  const { initialActivity, modes = [] } = workflow.definition;
  const known = new Set([...workflow.activities.map(({ id }) => id), ...broken]);
  const suggest = createSuggester();
  function* unknown(targets: Iterable<Target>): Generator<Finding> {
    for (const target of targets) {
      const { id, pointer, mayEnd } = target;
      if (known.has(id) || (mayEnd && reservedTargets.includes(id))) continue;
      yield { ...messages.unknownActivity(target, suggest(id, known)), pointer, served: true };
    }
  }
  if (initialActivity !== undefined && !known.has(initialActivity)) {
    // Without its first activity, the workflow can't be served.
    const first = { id: initialActivity, by: messages.startsWith, mayEnd: false };
    const problem = messages.unknownActivity(first, suggest(initialActivity, known));
    yield { ...problem, file, pointer: '/initialActivity' };
  }
  for (const [at, { id, skipActivities }] of modes.entries()) {
    const targets = targetsInList(skipActivities, `/modes/${at}/skipActivities`, messages.modeSkips(id));
    yield* inFile({ file, pointer: '' }, unknown(targets));
  }
  for (const part of workflow.activities) yield* inFile(part, unknown(targetsOf(part.definition)));
  yield* unreachable(scope);
}

export function* targetsOf(activity: Activity): Generator<Target> {
  for (const [at, { to }] of (activity.transitions ?? []).entries()) {
    yield { id: to, pointer: `/transitions/${at}/to`, by: messages.transitionLeadsTo, mayEnd: true };
  }
  for (const [at, { id, branches }] of (activity.decisions ?? []).entries()) {
    for (const [nth, { transitionTo }] of branches.entries()) {
      const pointer = `/decisions/${at}/branches/${nth}/transitionTo`;
      const by = messages.decisionLeadsTo(id);
      if (transitionTo !== undefined) yield { id: transitionTo, pointer, by, mayEnd: true };
    }
  }
  for (const [at, { id, options }] of (activity.checkpoints ?? []).entries()) {
    for (const [nth, { effect }] of options.entries()) {
      yield* targetsOfEffect(effect, `/checkpoints/${at}/options/${nth}/effect`, id);
    }
  }
  for (const [at, { id, activities }] of (activity.loops ?? []).entries()) {
    yield* targetsInList(activities, `/loops/${at}/activities`, messages.loopRepeats(id));
  }
}

function* targetsOfEffect(
  { transitionTo, skipActivities }: Effect = {},
  pointer: string,
  checkpoint: string,
): Generator<Target> {
  const by = messages.answerLeadsTo(checkpoint);
  if (transitionTo !== undefined)
    yield { id: transitionTo, pointer: `${pointer}/transitionTo`, by, mayEnd: true };
  yield* targetsInList(skipActivities, `${pointer}/skipActivities`, messages.answerSkips(checkpoint));
}

function* targetsInList(ids: readonly string[] = [], pointer: string, by: string): Generator<Target> {
  for (const [at, id] of ids.entries()) yield { id, pointer: `${pointer}/${at}`, by, mayEnd: false };
}

/** Returns the activities that an activity can lead to. */
export function activitiesAfter(activity: Activity): readonly string[] {
  return [...targetsOf(activity)]
    .filter(({ pointer }) => !pointer.includes('/skipActivities/'))
    .map(({ id }) => id);
}

/**
 * Returns the activities that can be reached from others, including those. An activity without transitions returns to
 * the loop that contains it.
 */
export function reachedFrom(
  { activities }: Pick<ActivityWorkflow, 'activities'>,
  from: readonly string[],
): ReadonlySet<string> {
  const parts = new Map(activities.map((part) => [part.id, part]));
  const hosts = new Map<string, string[]>();
  for (const { id: host, definition } of activities) {
    const members = (definition.loops ?? []).flatMap((loop) => loop.activities ?? []);
    for (const id of members) {
      const known = hosts.get(id) ?? [];
      known.push(host);
      hosts.set(id, known);
    }
  }
  const reached = new Set(from);
  for (const id of reached) {
    const part = parts.get(id);
    if (part === undefined) continue;
    for (const next of activitiesAfter(part.definition)) reached.add(next);
    const { transitions = [], decisions = [] } = part.definition;
    if (transitions.length > 0 || decisions.length > 0) continue;
    for (const host of hosts.get(id) ?? []) reached.add(host);
  }
  return reached;
}

/** Finds activities that can't be reached. Skipped if an activity is broken, because its transitions are unknown. */
function* unreachable({ workflow, broken }: TargetScope): Generator<FileFinding> {
  const initial = initialActivityOf(workflow);
  if (broken.size > 0 || initial === undefined || !workflow.activities.some(({ id }) => id === initial))
    return;
  const reached = reachedFrom(workflow, [initial]);
  for (const part of workflow.activities) {
    if (!reached.has(part.id))
      yield* inFile(part, [{ ...messages.unreachableActivity(part.id, initial), pointer: '/id' }]);
  }
}

/**
 * Returns a function that gives the loop item names visible in an activity. The activity that has a loop sees its item.
 * A loop over activities stores the item in a session variable, so the activities inside the loop see it too.
 */
export function loopItems({ activities }: ActivityWorkflow): (id: string) => ReadonlySet<string> {
  const parts = new Map(activities.map(({ id, definition }) => [id, definition]));
  const items = new Map<string, Set<string>>();
  for (const [host, { loops = [] }] of parts) {
    for (const { variable, activities: entered = [] } of loops) {
      if (variable === undefined) continue;
      const inside = new Set(entered);
      for (const id of inside) {
        const part = id === host ? undefined : parts.get(id);
        for (const target of part === undefined ? [] : targetsOf(part)) inside.add(target.id);
      }
      for (const id of [host, ...inside]) items.set(id, (items.get(id) ?? new Set()).add(variable));
    }
  }
  return (id) => items.get(id) ?? none;
}

const none: ReadonlySet<string> = new Set();

/** A reference to a skill, an operation or a resource, and its location. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly name: string;
  readonly file: string;
  readonly pointer: string;
  readonly lender?: string;
}

export interface ReferenceScope {
  readonly workflow: ActivityWorkflow;
  readonly file: string;
  readonly lookup: ReferenceLookup;
}

/**
 * Warns about references to skills, operations and resources that don't exist; the workflow is served without them.
 * Adds the parts found in other workflows to `borrowed`, except those of `meta`, which every workflow can use and no
 * source can replace.
 */
export async function checkPartReferences(
  { workflow, file, lookup }: ReferenceScope,
  borrowed: Map<string, string>,
): Promise<readonly FileFinding[]> {
  const findings: FileFinding[] = [];
  for (const reference of referencesOf(workflow, file)) {
    const { kind, name, pointer } = reference;
    const found = await lookup.find(kind, name, reference.lender);
    if (found === undefined) {
      const elsewhere = await workflowWith(reference, { workflow, lookup });
      findings.push({ ...messages.unknownReference(kind, name, elsewhere), file: reference.file, pointer });
    } else if (found.part !== undefined && found.workflow !== undefined && found.workflow !== 'meta')
      borrowed.set(`${found.workflow}/${found.part.file}`, found.part.text);
  }
  return findings;
}

/** Returns a workflow from which activities are borrowed and which has the part that was not found here. */
async function workflowWith(
  { kind, name }: Reference,
  { workflow, lookup }: Pick<ReferenceScope, 'lookup' | 'workflow'>,
): Promise<string | undefined> {
  if (name.includes('/')) return undefined;
  for (const lender of new Set(workflow.activities.flatMap((part) => part.lender ?? []))) {
    if ((await lookup.find(kind, `${lender}/${name}`)) !== undefined) return lender;
  }
  return undefined;
}

export function* referencesOf(workflow: ActivityWorkflow, file: string): Generator<Reference> {
  const { skills, operations, operationsFor = {}, modes = [] } = workflow.definition;
  yield* ofSkills(skills, { file, pointer: '/skills' });
  yield* all('operation', operations, { file, pointer: '/operations' });
  for (const role of ['orchestrator', 'worker', 'solo'] as const) {
    yield* all('operation', operationsFor[role], { file, pointer: `/operationsFor/${role}` });
  }
  for (const [at, { resource }] of modes.entries()) {
    if (resource !== undefined)
      yield { kind: 'resource', name: resource, file, pointer: `/modes/${at}/resource` };
  }
  for (const part of workflow.activities) yield* ofActivity(part);
  for (const part of workflow.skills) yield* ofSkill(part);
}

type Where = Pick<Reference, 'file' | 'lender' | 'pointer'>;

function* ofActivity({ definition, file, pointer, lender }: ActivityPart): Generator<Reference> {
  const where = (place: string): Where => ({
    file,
    pointer: pointer + place,
    ...(lender !== undefined && { lender }),
  });
  yield* ofSkills(definition.skills, where('/skills'));
  yield* all('operation', definition.operations, where('/operations'));
  for (const { step, pointer: place } of walkActivitySteps(definition)) {
    if (step.skill !== undefined) yield { kind: 'skill', name: step.skill, ...where(`${place}/skill`) };
  }
}

function* ofSkills({ primary, supporting }: SkillNames = {}, where: Where): Generator<Reference> {
  const { pointer } = where;
  if (primary !== undefined) yield { kind: 'skill', name: primary, ...where, pointer: `${pointer}/primary` };
  yield* all('skill', supporting, { ...where, pointer: `${pointer}/supporting` });
}

function* ofSkill({ definition, file }: SkillPart): Generator<Reference> {
  yield* all('resource', definition.resources, { file, pointer: '/resources' });
  for (const [name, { resources }] of Object.entries(definition.operations ?? {})) {
    yield* all('resource', resources, { file, pointer: `/operations/${escapePointer(name)}/resources` });
  }
}

function* all(kind: Reference['kind'], names: readonly string[] = [], where: Where): Generator<Reference> {
  for (const [at, name] of names.entries()) {
    yield { kind, name, ...where, pointer: `${where.pointer}/${at}` };
  }
}
