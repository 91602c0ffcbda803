import type { JsonObject } from '@workflowlookup/schema';
import type { Test } from './check.ts';
import type { Meters } from './meter.ts';
import type { Place, Problem } from './problem.ts';
import { within } from './problem.ts';

/** Reads the fields of one type of rule; what is wrong is reported, and there is no test then. */
export type RuleReader = (
  rule: JsonObject,
  report: Report,
  meters: Meters,
) => Test | undefined | Promise<Test | undefined>;

/** Records what is wrong with a field of a rule. */
export type Report = (fault: FieldFault) => void;

/** What is wrong with a field. */
interface FieldFault {
  readonly field: string;
  /** JSON pointer from the field to the fault. */
  readonly below?: string;
  readonly message: string;
  readonly suggestion?: string;
  readonly fault?: Problem['fault'];
}

/** A report into a place; a field that is missing is a fault of the rule itself. */
export function reporter(rule: JsonObject, place: Place): Report {
  return ({ field, below = '', fault = 'rule', ...problem }) => {
    const isThere = Object.hasOwn(rule, field) && place.bare !== true;
    const pointer = isThere ? within(place, field).pointer + below : place.pointer;
    place.problems.push({ ...problem, fault, pointer });
  };
}
