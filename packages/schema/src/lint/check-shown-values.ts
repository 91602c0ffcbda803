import { changeableValue, hidingPath } from '../messages/workflow.ts';
import type { FileFinding } from '../findings/collect-findings.ts';
import { activityLocation } from '../findings/collect-findings.ts';
import type { ActivityWorkflow } from '../workflow/activity-workflow.ts';
import { initialActivityOf } from '../workflow/activity-workflow.ts';
import type { Activity, Checkpoint } from '../workflow/activity.ts';
import { conditionsOf, walkActivitySteps } from '../workflow/walk.ts';
import { reachedFrom, targetsOf } from './check-activity-references.ts';
import type { VariableScope, VariablesOf } from './check-activity-variables.ts';
import { namesSetByOptions } from './variable-uses.ts';

/**
 * Warns about variables that `set_by` lets agents change after a person's question showed them, although the session can
 * then come to the approved activity again without the question.
 */
export function* checkShownValues({ workflow, file, variablesOf }: VariableScope): Generator<FileFinding> {
  const { variables = [] } = workflow.definition;
  const checkpoints = workflow.activities.flatMap(({ definition }) => definition.checkpoints ?? []);
  const words = new Set(['checkpoint', ...checkpoints.map(({ id }) => id)]);
  for (const [at, { name, set_by: setBy }] of variables.entries()) {
    if (setBy === undefined) continue;
    const named = [setBy].flat().filter((id) => !words.has(id));
    const setters = named.includes('agent') ? workflow.activities.map(({ id }) => id) : named;
    const found = workflow.activities.flatMap(({ id, definition }) =>
      (definition.checkpoints ?? [])
        .filter((asked) => asked.approver === 'human' && namesIn(asked).has(name))
        .flatMap((asked) => {
          const isAsked = !mayBeLeftOut(definition, asked, variablesOf);
          const setter = setters.find((one) => redoes(workflow, { asking: id, asked, isAsked, setter: one }));
          return setter === undefined ? [] : [{ checkpoint: asked.id, activity: id, setter }];
        }),
    );
    const [first] = found;
    if (first === undefined) continue;
    yield {
      severity: 'warning',
      code: 'open-decision',
      file,
      pointer: `/variables/${at}/set_by`,
      ...changeableValue(name, first),
    };
  }
}

const marker = /(?<!\{)\{([\w-]+)[\w.-]*\}(?!\})/g;

/** Returns the variables that a question shows. */
function namesIn({ name, message, options }: Checkpoint): ReadonlySet<string> {
  const texts = [name, message, ...options.flatMap(({ label, description = '' }) => [label, description])];
  return new Set(texts.flatMap((text) => Array.from(text.matchAll(marker), ([, found = '']) => found)));
}

/** Returns whether an answer to a question can keep it from being asked in the next visit of its activity. */
function mayBeLeftOut(activity: Activity, asked: Checkpoint, variablesOf: VariablesOf): boolean {
  const at = (activity.checkpoints ?? []).indexOf(asked);
  const steps = [...walkActivitySteps(activity)].filter(({ step }) => step.checkpoint === asked.id);
  const places = [`/checkpoints/${at}`, ...steps.map(({ pointer }) => pointer)];
  const decided = new Set(namesSetByOptions(asked));
  return [...conditionsOf(activity)]
    .filter(({ pointer }) =>
      places.some((place) => [`${place}/condition`, `${place}/when`].includes(pointer)),
    )
    .some(({ source }) => [...variablesOf(source)].some((name) => decided.has(name)));
}

/**
 * Returns whether a session can go from what an answer opened to an activity that sets the variable, and from there back
 * to what it opened, without the question.
 */
function redoes(
  workflow: ActivityWorkflow,
  on: {
    readonly asking: string;
    readonly asked: Checkpoint;
    readonly isAsked: boolean;
    readonly setter: string;
  },
): boolean {
  const { asking, asked, isAsked, setter } = on;
  if (setter === asking) return false;
  const others = { activities: workflow.activities.filter(({ id }) => id !== asking) };
  const around = isAsked ? others : workflow;
  // What a session can also come to before the question is not what the person approves.
  const initial = initialActivityOf(workflow);
  const before = reachedFrom(others, initial === undefined || initial === asking ? [] : [initial]);
  const own = workflow.activities.find(({ id }) => id === asking)?.definition;
  const named = asked.options.flatMap(({ effect }) => effect?.transitionTo ?? []);
  const opened = [...named, ...(own === undefined ? [] : next(own))].filter(
    (id) => id !== asking && !before.has(id),
  );
  const after = workflow.activities.find(({ id }) => id === setter)?.definition;
  if (after === undefined) return false;
  const back = reachedFrom(
    around,
    next(after).filter((id) => !isAsked || id !== asking),
  );
  return opened.some((id) => reachedFrom(around, [id]).has(setter) && back.has(id));
}

/** Returns the activities that an activity can lead to. */
function next(activity: Activity): readonly string[] {
  return Array.from(targetsOf(activity))
    .filter(({ pointer }) => !pointer.includes('/skipActivities/'))
    .map(({ id }) => id);
}

/** Warns about answers that set `target.env` if another one sets `target`: conditions then find the old `target.env`. */
export function* checkPathsInAnswers({ activities }: ActivityWorkflow): Generator<FileFinding> {
  const all = new Set(
    activities.flatMap(({ definition }) => (definition.checkpoints ?? []).flatMap(namesSetByOptions)),
  );
  const reported = new Set<string>();
  for (const part of activities) {
    for (const [at, { id, options }] of (part.definition.checkpoints ?? []).entries()) {
      for (const [nth, { effect }] of options.entries()) {
        for (const path of Object.keys(effect?.setVariable ?? {})) {
          const root = path.split('.', 1)[0] ?? '';
          if (root === path || !all.has(root) || reported.has(path)) continue;
          reported.add(path);
          yield {
            ...activityLocation(part, `/checkpoints/${at}/options/${nth}/effect/setVariable`),
            severity: 'warning',
            code: 'shadowed-name',
            ...hidingPath(path, root, id),
          };
        }
      }
    }
  }
}
