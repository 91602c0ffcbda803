import { toPointer } from '@workflowlookup/schema';

/** Why criteria can't be used. */
export interface Problem {
  /** JSON pointer into the criteria. */
  readonly pointer: string;
  readonly message: string;
  readonly suggestion?: string;
  /** What is at fault: the rule itself, its condition, or the JSON Schema in it. */
  readonly fault: 'rule' | 'condition' | 'schema';
}

/** Where a reader stands in the criteria: what is wrong is collected, so that one reading finds it all. */
export interface Place {
  readonly pointer: string;
  /** Lists and compositions around it. */
  readonly depth: number;
  /** Present and true for a rule written as a bare pattern, which has no fields to point at. */
  readonly bare?: true;
  readonly problems: Problem[];
}

/** The place of a member. */
export function within(place: Place, key: string | number): Place {
  return { ...place, pointer: place.pointer + toPointer([key]) };
}
