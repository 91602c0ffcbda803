import {
  addCheckpoint,
  duplicateEntry,
  duplicateId,
  nameAnOption,
  neverReversed,
  setsWhenMissing,
  stepIdInTwoLists,
  unknownCheckpoint,
  unfitDefault,
  unknownOption,
} from '../messages/workflow.ts';
import type { FileFinding } from '../findings/collect-findings.ts';
import { activityLocation } from '../findings/collect-findings.ts';
import { createSuggester } from '../findings/finding.ts';
import type { ActivityPart, ActivityWorkflow, PartBase, Activity } from '../workflow/activity-workflow.ts';
import { walkActivitySteps } from '../workflow/walk.ts';

/** Finds activities, skills, resources, variables and modes with the same id. */
export function* checkWorkflowIds(workflow: ActivityWorkflow, file: string): Generator<FileFinding> {
  const { variables = [], modes = [] } = workflow.definition;
  yield* repeated('activity', workflow.activities);
  yield* repeated('skill', workflow.skills);
  for (const finding of repeated('resource', workflow.resources)) yield { ...finding, severity: 'warning' };
  yield* repeatedIn(
    'variables',
    variables.map(({ name }) => name),
    file,
  );
  yield* repeatedIn(
    'modes',
    modes.map(({ id }) => id),
    file,
  );
}

function* repeated(
  kind: string,
  parts: readonly (PartBase & { readonly pointer?: string })[],
): Generator<FileFinding> {
  const files = new Map<string, string>();
  for (const { id, file, pointer = '' } of parts) {
    const first = files.get(id);
    if (first === undefined) files.set(id, file);
    else {
      const message = duplicateId(kind, id, `'${first}'`);
      yield { severity: 'error', code: 'duplicate-id', file, pointer: `${pointer}/id`, ...message };
    }
  }
}

function* repeatedIn(
  list: 'modes' | 'variables',
  names: readonly string[],
  file: string,
): Generator<FileFinding> {
  const key = list === 'modes' ? 'id' : 'name';
  const firsts = new Map<string, number>();
  for (const [at, name] of names.entries()) {
    const first = firsts.get(name);
    if (first === undefined) {
      firsts.set(name, at);
      continue;
    }
    yield {
      severity: 'error',
      code: 'duplicate-id',
      file,
      pointer: `/${list}/${at}/${key}`,
      ...duplicateEntry(key, name, `/${list}/${first}`),
    };
  }
}

/** Items of one kind in one list, whose ids must be unique. */
interface IdList {
  readonly kind: string;
  readonly pointer: string;
  readonly ids: readonly string[];
}

/** Finds duplicate ids within activities, unknown checkpoints of steps, and default options that don't exist. */
export function* checkActivityIds({ activities }: ActivityWorkflow): Generator<FileFinding> {
  for (const part of activities) {
    for (const namespace of namespacesOf(part.definition)) yield* duplicates(namespace, part);
    yield* repeatedSteps(part);
    yield* missingCheckpoints(part);
    yield* missingOptions(part);
    yield* unfitDefaults(part);
    yield* ineffectiveSettings(part);
  }
}

function* namespacesOf(activity: Activity): Generator<IdList> {
  const kinds = { steps: 'step', checkpoints: 'checkpoint', decisions: 'decision', loops: 'loop' } as const;
  for (const list of ['steps', 'checkpoints', 'decisions', 'loops', 'artifacts'] as const) {
    const kind = list === 'artifacts' ? 'artifact' : kinds[list];
    yield { kind, pointer: `/${list}`, ids: (activity[list] ?? []).map(({ id }) => id) };
  }
  for (const [at, { steps = [] }] of (activity.loops ?? []).entries()) {
    yield { kind: 'step', pointer: `/loops/${at}/steps`, ids: steps.map(({ id }) => id) };
  }
  for (const [at, { options }] of (activity.checkpoints ?? []).entries()) {
    yield { kind: 'option', pointer: `/checkpoints/${at}/options`, ids: options.map(({ id }) => id) };
  }
  for (const [at, { branches }] of (activity.decisions ?? []).entries()) {
    yield { kind: 'branch', pointer: `/decisions/${at}/branches`, ids: branches.map(({ id }) => id) };
  }
}

function* duplicates({ kind, pointer, ids }: IdList, part: ActivityPart): Generator<FileFinding> {
  const firsts = new Map<string, number>();
  for (const [at, id] of ids.entries()) {
    const first = firsts.get(id);
    if (first === undefined) {
      firsts.set(id, at);
      continue;
    }
    yield {
      ...activityLocation(part, `${pointer}/${at}/id`),
      severity: 'error',
      code: 'duplicate-id',
      ...duplicateId(kind, id, `${pointer}/${first}`),
    };
  }
}

/** Warns about steps in different lists with the same id: a manifest can only tell them apart as `loop@0::step`. */
function* repeatedSteps(part: ActivityPart): Generator<FileFinding> {
  const lists = new Map<string, string>();
  for (const { step, pointer, loop } of walkActivitySteps(part.definition)) {
    const list = loop === undefined ? 'the activity itself' : `loop '${loop.id}'`;
    const first = lists.get(step.id);
    if (first === undefined) lists.set(step.id, list);
    else if (first !== list) {
      yield {
        ...activityLocation(part, `${pointer}/id`),
        severity: 'warning',
        code: 'duplicate-id',
        ...stepIdInTwoLists(step.id, first, list),
      };
    }
  }
}

function* missingCheckpoints(part: ActivityPart): Generator<FileFinding> {
  const known = new Set((part.definition.checkpoints ?? []).map(({ id }) => id));
  const suggest = createSuggester(known);
  for (const { step, pointer } of walkActivitySteps(part.definition)) {
    if (step.checkpoint === undefined || known.has(step.checkpoint)) continue;
    yield {
      ...activityLocation(part, `${pointer}/checkpoint`),
      severity: 'error',
      code: 'unknown-checkpoint',
      served: true,
      message: unknownCheckpoint(step.id, step.checkpoint, part.id),
      suggestion: suggest(step.checkpoint, addCheckpoint),
    };
  }
}

/** A timer chooses the default option. It can't write a note, and nobody confirms its choice. */
function* unfitDefaults(part: ActivityPart): Generator<FileFinding> {
  for (const [at, checkpoint] of (part.definition.checkpoints ?? []).entries()) {
    const { id, options, defaultOption, autoAdvanceMs, blocking } = checkpoint;
    const option = options.find((one) => one.id === defaultOption);
    if (option === undefined || autoAdvanceMs === undefined || blocking === true) continue;
    const reason =
      option.note === 'required' ? 'note' : option.irreversible === true ? 'irreversible' : undefined;
    if (reason === undefined) continue;
    yield {
      ...activityLocation(part, `/checkpoints/${at}/defaultOption`),
      severity: 'warning',
      code: 'unfit-default',
      message: unfitDefault(id, option.id, reason),
    };
  }
}

/** Warns about `reversible` and `may_be_missing` where they don't do what they seem to do. */
function* ineffectiveSettings(part: ActivityPart): Generator<FileFinding> {
  for (const [at, checkpoint] of (part.definition.checkpoints ?? []).entries()) {
    const { id, reversible, defaultOption, approver } = checkpoint;
    if (reversible !== true || (defaultOption !== undefined && approver !== 'human')) continue;
    yield {
      ...activityLocation(part, `/checkpoints/${at}/reversible`),
      severity: 'warning',
      code: 'no-effect',
      ...neverReversed(id, approver === 'human' ? 'needs a person' : 'no default'),
    };
  }
  for (const { step, pointer } of walkActivitySteps(part.definition)) {
    const sets = (step.actions ?? []).some(({ action }) => action === 'set');
    if (step.may_be_missing !== true || !sets) continue;
    yield {
      ...activityLocation(part, `${pointer}/may_be_missing`),
      severity: 'warning',
      code: 'no-effect',
      ...setsWhenMissing(step.id),
    };
  }
}

function* missingOptions(part: ActivityPart): Generator<FileFinding> {
  for (const [at, { id, options, defaultOption }] of (part.definition.checkpoints ?? []).entries()) {
    const known = new Set(options.map((option) => option.id));
    if (defaultOption === undefined || known.has(defaultOption)) continue;
    yield {
      ...activityLocation(part, `/checkpoints/${at}/defaultOption`),
      severity: 'error',
      code: 'unknown-option',
      served: true,
      message: unknownOption(id, defaultOption),
      suggestion: createSuggester(known)(defaultOption, nameAnOption),
    };
  }
}
