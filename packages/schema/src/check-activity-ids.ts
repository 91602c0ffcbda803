import type { Activity } from './activity.ts';
import type { ActivityPart, ActivityWorkflow } from './activity-workflow.ts';
import { inActivity } from './file-finding.ts';
import type { FileFinding } from './file-finding.ts';
import { createSuggester } from './suggester.ts';
import { walkActivitySteps } from './walk-activity.ts';

/** Things with an id, of one kind and in one list, where no two may share it. */
interface Namespace {
  readonly kind: string;
  readonly pointer: string;
  readonly ids: readonly string[];
}

/**
 * Ids that are there twice, checkpoints that steps name and their activity does not have, and default options that are
 * none.
 */
export function* checkActivityIds({ activities }: ActivityWorkflow): Generator<FileFinding> {
  for (const part of activities) {
    for (const namespace of namespacesOf(part.definition)) yield* duplicates(namespace, part);
    yield* repeatedSteps(part);
    yield* missingCheckpoints(part);
    yield* missingOptions(part);
  }
}

function* namespacesOf(activity: Activity): Generator<Namespace> {
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

function* duplicates({ kind, pointer, ids }: Namespace, part: ActivityPart): Generator<FileFinding> {
  const firsts = new Map<string, number>();
  for (const [at, id] of ids.entries()) {
    const first = firsts.get(id);
    if (first === undefined) {
      firsts.set(id, at);
      continue;
    }
    yield {
      ...inActivity(part, `${pointer}/${at}/id`),
      severity: 'error',
      code: 'duplicate-id',
      message: `Duplicate ${kind} id '${id}': ${pointer}/${first} has it too`,
      suggestion: `Give every ${kind} its own id`,
    };
  }
}

/** Steps of different lists with one id: a manifest can only tell them apart by `loop@0::step`. */
function* repeatedSteps(part: ActivityPart): Generator<FileFinding> {
  const lists = new Map<string, string>();
  for (const { step, pointer, loop } of walkActivitySteps(part.definition)) {
    const list = loop === undefined ? 'the activity itself' : `loop '${loop.id}'`;
    const first = lists.get(step.id);
    if (first === undefined) lists.set(step.id, list);
    else if (first !== list) {
      yield {
        ...inActivity(part, `${pointer}/id`),
        severity: 'warning',
        code: 'duplicate-id',
        message: `Step id '${step.id}' is used by ${first} and by ${list}`,
        suggestion: 'Give every step of the activity its own id',
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
      ...inActivity(part, `${pointer}/checkpoint`),
      severity: 'error',
      code: 'unknown-checkpoint',
      served: true,
      message: `Step '${step.id}' stops at checkpoint '${step.checkpoint}', which activity '${part.id}' does not have`,
      suggestion: suggest(step.checkpoint, "Add it under 'checkpoints'"),
    };
  }
}

function* missingOptions(part: ActivityPart): Generator<FileFinding> {
  for (const [at, { id, options, defaultOption }] of (part.definition.checkpoints ?? []).entries()) {
    const known = new Set(options.map((option) => option.id));
    if (defaultOption === undefined || known.has(defaultOption)) continue;
    yield {
      ...inActivity(part, `/checkpoints/${at}/defaultOption`),
      severity: 'error',
      code: 'unknown-option',
      served: true,
      message: `Checkpoint '${id}' has the default option '${defaultOption}', which it does not offer`,
      suggestion: createSuggester(known)(defaultOption, 'Name one of its options'),
    };
  }
}
