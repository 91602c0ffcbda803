import type { EachTime, Json, JsonObject, WorkflowTest } from '@workflowlookup/schema';
import { parseInstanceId } from '@workflowlookup/core/decisions';

/** The inputs of a test, each used when it is needed. */
export interface Script {
  /** Returns the next output of a step, repeating the last one. */
  output(activity: string, step: string): string | undefined;
  /** Returns the next output after a refused one, or `undefined` if there is none. */
  anotherOutput(activity: string, step: string): string | undefined;
  /** For how many times there are outputs of a step. */
  outputsFor(activity: string, step: string): number;
  /** Variables to set on leaving a place. */
  sets(activity: string): JsonObject;
  hasAnswer(activity: string, checkpoint: string): boolean;
  /** Returns the next answer to a checkpoint, repeating the last one. */
  answer(activity: string, checkpoint: string): string | undefined;
}

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

/** Values by id, used one after the other. Of several ids for one thing the first that has values counts. */
interface Supply<Value> {
  count(ids: readonly string[]): number;
  /** Returns the next value, repeating the last one. */
  next(ids: readonly string[]): Value | undefined;
  /** Returns the next value, or `undefined` if there is none. */
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

/** Returns the ids that a test may use for a part of an activity, the most specific first. */
function idsOf(activity: string, id: string): readonly string[] {
  const bare = bareId(id);
  return [...new Set([`${activity}::${id}`, `${bareId(activity)}::${bare}`, id, bare])];
}

/** Returns an id without the rounds of its loops. */
export function bareId(id: string): string {
  return parseInstanceId(id)?.stepId ?? id;
}
