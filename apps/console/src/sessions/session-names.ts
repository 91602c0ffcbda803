import type { SessionDetail } from '../contract/index.ts';

type Outline = SessionDetail['outline'];
type Activity = NonNullable<Outline['activities']>[number];
type Step = NonNullable<Outline['steps']>[number];

/** The names that the author of a workflow gave to its parts. An unknown id is its own name. */
export interface SessionNames {
  readonly workflow: string;
  /** The name of an activity or a step, also of one in an iteration of a loop. */
  activity(id: string): string;
  checkpoint(id: string): string;
  /** The labels of the options of a checkpoint, by id. */
  options(checkpoint: string): Readonly<Record<string, string>>;
}

/** Collects the names in the definition that a session was started with. */
export function sessionNames({ name, activities = [], steps = [] }: Outline): SessionNames {
  const names: Record<string, string> = Object.fromEntries(steps.flatMap(stepNames));
  const checkpoints = new Map<string, Activity['checkpoints'][number]>();
  for (const activity of activities) {
    for (const step of [...activity.steps, ...activity.loops.flatMap((loop) => loop.steps)])
      if (step.name !== undefined) names[step.id] = step.name;
    for (const checkpoint of activity.checkpoints) checkpoints.set(checkpoint.id, checkpoint);
  }
  // An activity and a step of another one may have the same id.
  for (const activity of activities) names[activity.id] = activity.name;
  return {
    workflow: name,
    activity: (id) => nameOf(names, id),
    checkpoint: (id) => checkpoints.get(id)?.name ?? id,
    options: (id) =>
      Object.fromEntries((checkpoints.get(id)?.options ?? []).map((option) => [option.id, option.label])),
  };
}

/** Looks up a value by an id that a workflow chose. An object that came as JSON also answers to ids such as `constructor`. */
export function valueOf<Value>(values: Readonly<Record<string, Value>>, id: string): Value | undefined {
  return Object.hasOwn(values, id) ? values[id] : undefined;
}

/** Returns the name of an activity or a step, also of one in an iteration of a loop. An unknown id is its own name. */
export function nameOf(names: Readonly<Record<string, string>>, id: string): string {
  const { step, iterations } = splitInstance(id);
  const name = valueOf(names, step) ?? step;
  return iterations.length === 0 ? name : `${name} (${iterations.join(', ')})`;
}

function stepNames({ id, title, body }: Step): readonly (readonly [string, string])[] {
  return [[id, title], ...(typeof body === 'object' ? body.flatMap(stepNames) : [])];
}

/** Takes an id such as `loop@1::step` apart. The iterations are counted from one. */
export function splitInstance(id: string): { readonly step: string; readonly iterations: readonly string[] } {
  const parts = id.split('::');
  const step = parts.pop() ?? id;
  return {
    step,
    iterations: parts.map((part) => part.replace(/@(\d+)$/, (_, index: string) => ` ${Number(index) + 1}`)),
  };
}
