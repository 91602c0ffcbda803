import type { Json } from '@workflowlookup/schema';

/** A visit of an activity: the option for each checkpoint, and the variables that are submitted at the end. */
export interface ActivityVisit {
  readonly answers?: Readonly<Record<string, string>>;
  readonly sets?: Readonly<Record<string, Json>>;
}

/** A path through an activity workflow, from its initial activity to its end. */
interface ActivityWalk {
  readonly name: string;
  readonly path: readonly (string | readonly [activity: string, visit: ActivityVisit])[];
}

/** The walks of one activity workflow. */
export interface ActivityWalks {
  readonly id: string;
  readonly walks: readonly ActivityWalk[];
}
