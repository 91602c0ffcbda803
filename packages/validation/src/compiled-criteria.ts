import type { Meter } from '@workflowlookup/schema';
import type { Check } from './check.ts';

declare const kind: unique symbol;

/** Criteria ready to judge outputs, one at a time. */
export interface CompiledCriteria {
  readonly [kind]: 'criteria';
}

/** What is in compiled criteria. */
export interface Contents {
  /** Absent when there are no criteria. */
  readonly check: Check | undefined;
  readonly meter: Meter;
}

/** Contents as callers hold them. */
export function seal(contents: Contents): CompiledCriteria {
  return contents as unknown as CompiledCriteria;
}

/** The contents of what {@link seal} made. */
export function contentsOf(compiled: CompiledCriteria): Contents {
  return compiled as unknown as Contents;
}
