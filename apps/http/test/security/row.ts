import type { Outcome } from './outcome.ts';

/** Something that comes to the server, and what came of it. */
export type Case = readonly [what: string, attempt: () => Promise<Outcome>];

/** A row of the table in docs/security.md, and what is tried for it. */
export interface Row {
  /** The first cell. */
  readonly comes: string;
  /** The second one: a status of HTTP or `error` and a code of JSON-RPC, then what else it says. */
  readonly answered: string;
  readonly cases: readonly Case[];
}
