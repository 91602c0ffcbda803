import type { FileFinding } from '../findings/collect-findings.ts';
import { inFile } from '../findings/collect-findings.ts';
import type { Finding, Placed } from '../findings/finding.ts';
import { createSuggester, didYouMean, placed, repeats } from '../findings/finding.ts';
import { messages } from '../messages/workflow.ts';
import type { ActivityPart, ActivityWorkflow, PartBase, Activity } from '../workflow/activity-workflow.ts';
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
