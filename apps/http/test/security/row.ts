import type { Outcome } from './outcome.ts';

/** A request to the server, and a function that sends it. */
export type Case = readonly [what: string, attempt: () => Promise<Outcome>];

/** A row of the table in docs/security.md, and the cases that test it. */
export interface Row {
  /** The first cell. */
  readonly comes: string;
  /** The second cell: an HTTP status, or `error` and a JSON-RPC code, then a further property of the response. */
  readonly answered: string;
  readonly cases: readonly Case[];
}
