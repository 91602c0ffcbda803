import type { Condition, Context } from '@workflowlookup/conditions';
import { describeCondition, evaluate, undecided, variablesOf } from '@workflowlookup/conditions';
import type { Activity, ConditionSource } from '@workflowlookup/schema';
import { walkActions, walkActivitySteps } from '@workflowlookup/schema';
import { compileCondition } from '../session/compile-activity.ts';
import { rootOf } from '../root-of.ts';

/** An activity and the variables under which it is handed out. */
export interface Scene {
  readonly activity: Activity;
  readonly variables: Context;
  /** How often it was done before. */
  readonly visit: number;
  /** Variables that may become something else in the course of the activity. */
  readonly changing: ReadonlySet<string>;
}

/** How conditions stand that must all hold. */
export type Standing =
  | { readonly kind: 'holds' }
  /** They don't hold, and what happens in the activity may change that. */
  | { readonly kind: 'open'; readonly when: string }
  | { readonly kind: 'fails'; readonly undecided: readonly string[] };

/** Sets the scene. */
export function sceneOf(activity: Activity, variables: Context, visit: number): Scene {
  return { activity, variables, visit, changing: new Set([...namesSet(activity), ...wordsOf(activity)]) };
}

/** How these conditions stand. */
export function standingOf(
  sources: readonly (ConditionSource | undefined)[],
  { variables, changing }: Scene,
): Standing {
  const conditions = sources.flatMap((source) => (source === undefined ? [] : [compileCondition(source)]));
  const failing = conditions.filter((condition) => !evaluate(condition, variables));
  if (failing.length === 0) return { kind: 'holds' };
  return failing.every((condition) => mayChange(condition, changing))
    ? { kind: 'open', when: failing.map(describeCondition).join(' && ') }
    : {
        kind: 'fails',
        undecided: [...new Set(failing.flatMap((condition) => undecided(condition, variables)))],
      };
}

function mayChange(condition: Condition, changing: ReadonlySet<string>): boolean {
  return [...variablesOf(condition)].some((name) => changing.has(name) || changing.has(rootOf(name)));
}

/** What answers and actions set. */
function namesSet(activity: Activity): readonly string[] {
  const effects = (activity.checkpoints ?? []).flatMap(({ options }) =>
    options.flatMap(({ effect }) => Object.keys(effect?.setVariable ?? {})),
  );
  const targets = [...walkActions(activity)].flatMap(({ action }) => action.target ?? []);
  return [...effects, ...targets];
}

/** A step may say in its own words which variable to set. */
function wordsOf(activity: Activity): readonly string[] {
  const texts = [...walkActivitySteps(activity)].map(({ step }) => step.description ?? '');
  return texts.flatMap((text) => text.split(/[^\w-]+/));
}
