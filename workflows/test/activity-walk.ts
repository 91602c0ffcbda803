import type { Json } from '@workflowlookup/schema';

/** What happens in an activity: the option chosen at each checkpoint, then the variables handed in on leaving it. */
export interface ActivityVisit {
  readonly answers?: Readonly<Record<string, string>>;
  readonly sets?: Readonly<Record<string, Json>>;
}

/** One way through an activity workflow, from its initial activity to its end. */
interface ActivityWalk {
  readonly name: string;
  readonly path: readonly (string | readonly [activity: string, visit: ActivityVisit])[];
}

/** The walks of one activity workflow. */
export interface ActivityWalks {
  readonly id: string;
  readonly walks: readonly ActivityWalk[];
}
