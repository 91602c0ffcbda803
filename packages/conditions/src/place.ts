import { maxDepth, toPointer } from '@workflowlookup/schema';
import type { JsonObject, Meter, Repair } from '@workflowlookup/schema';
import type { Condition, ConditionIssue } from './condition.ts';

/** Where a parser stands: what is wrong is collected, so that one reading finds it all. */
export interface Place {
  readonly pointer: string;
  readonly depth: number;
  /** Column in a `when` string, from 1. */
  readonly column?: number;
  /** What puts right what is wrong there. */
  readonly repair?: Repair;
  /** Pays for patterns that are compiled. */
  readonly meter?: Meter | undefined;
  readonly issues: ConditionIssue[];
}

/** The place one level deeper, at a key or an index. */
export function within(place: Place, ...keys: readonly (string | number)[]): Place {
  return { ...place, pointer: place.pointer + toPointer(keys), depth: place.depth + 1 };
}

/** The place of a field, or of the object that lacks it. */
export function placeOf(source: JsonObject, key: string, place: Place): Place {
  return Object.hasOwn(source, key) ? within(place, key) : place;
}

/** Records an issue and gives a stand-in, so that parsing can go on. */
export function fail(place: Place, message: string, suggestion?: string): Condition {
  const { pointer, column, repair } = place;
  const text = column === undefined ? message : `Column ${column}: ${message}`;
  place.issues.push({
    pointer,
    message: text,
    ...(suggestion !== undefined && { suggestion }),
    ...(repair && { repair }),
  });
  return { kind: 'constant', value: false };
}

/** Whether a place is too deep; then it has been recorded. */
export function isTooDeep(place: Place): boolean {
  if (place.depth <= maxDepth) return false;
  fail(place, `The condition is nested deeper than ${maxDepth} levels.`);
  return true;
}
