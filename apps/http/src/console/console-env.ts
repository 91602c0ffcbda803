import type { Operator } from '@workflowlookup/core';
import type { Signed } from './account/signed.ts';

/** What the routes of somebody who is signed in know of a request. */
export interface ConsoleEnv {
  readonly Variables: {
    readonly signed: Signed;
    /** Over the sessions they may see. */
    readonly operator: Operator;
  };
}
