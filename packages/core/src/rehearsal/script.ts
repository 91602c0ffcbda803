import type { EachTime, Json, JsonObject, WorkflowTest } from '@workflowlookup/schema';
import { parseInstanceId } from '../instance-id.ts';

/** What a test hands in, each thing when its time comes. */
export interface Script {
  /** The next output of a step; the last one again where there are no more. */
  output(activity: string, step: string): string | undefined;
  /** The next output after one that was refused; none where there are no more. */
  anotherOutput(activity: string, step: string): string | undefined;
  /** For how many times there are outputs of a step. */
  outputsFor(activity: string, step: string): number;
  /** Variables to set on leaving a place. */
  sets(activity: string): JsonObject;
  hasAnswer(activity: string, checkpoint: string): boolean;
  /** The next answer to a checkpoint; the last one again where there are no more. */
  answer(activity: string, checkpoint: string): string | undefined;
}

/** Starts a script at its beginning. */
export function createScript(test: WorkflowTest): Script {
  const outputs = createSupply<Json>(test.outputs);
  const sets = createSupply<JsonObject>(test.sets);
  const answers = createSupply<string>(test.answers);
  return {
    output: (activity, step) => textOf(outputs.next(idsOf(activity, step))),
    anotherOutput: (activity, step) => textOf(outputs.further(idsOf(activity, step))),
    outputsFor: (activity, step) => outputs.count(idsOf(activity, step)),
    sets: (activity) => sets.next(idsOf(activity, activity)) ?? {},
    hasAnswer: (activity, checkpoint) => answers.count(idsOf(activity, checkpoint)) > 0,
    answer: (activity, checkpoint) => answers.next(idsOf(activity, checkpoint)),
  };
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

/** Values by id, taken one after the other; of the ids a thing goes by the first counts that has any. */
interface Supply<Value> {
  count(ids: readonly string[]): number;
  /** The last one again where there are no more. */
  next(ids: readonly string[]): Value | undefined;
  /** None where there are no more. */
  further(ids: readonly string[]): Value | undefined;
}

function createSupply<Value>(table: { readonly [id: string]: EachTime<Value> } = {}): Supply<Value> {
  const taken = new Map<string, number>();
  const find = (ids: readonly string[]): { readonly id: string; readonly all: readonly Value[] } => {
    const id = ids.find((known) => Object.hasOwn(table, known)) ?? '';
    const given = Object.hasOwn(table, id) ? table[id] : undefined;
    if (given === undefined) return { id, all: [] };
    return { id, all: (Array.isArray(given) ? given : [given]) as readonly Value[] };
  };
  const further = (ids: readonly string[]): Value | undefined => {
    const { id, all } = find(ids);
    const at = taken.get(id) ?? 0;
    taken.set(id, at + 1);
    return all[at];
  };
  return {
    count: (ids) => find(ids).all.length,
    next: (ids) => further(ids) ?? find(ids).all.at(-1),
    further,
  };
}

/** What a thing of an activity may be called in a test, the most particular first. */
function idsOf(activity: string, id: string): readonly string[] {
  const bare = bareId(id);
  return [...new Set([`${activity}::${id}`, `${bareId(activity)}::${bare}`, id, bare])];
}

/** An id without the rounds of the loops it stands in. */
export function bareId(id: string): string {
  return parseInstanceId(id)?.stepId ?? id;
}
