import type { Operator } from '@workflowlookup/core/operator';
import type { Host } from '@workflowlookup/host';
import type { Log } from '@workflowlookup/mcp';
import type { HttpCounts } from '@workflowlookup/mcp/http';
import type { Verifier } from '../auth/identity.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { FailedCredentials, RateLimit, Share } from '../guards/rate-limit.ts';
import type { NetworkOptions } from '../network-options.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { SignedInUser } from './account/accounts.ts';

export interface ConsoleParts {
  readonly host: Host;
  readonly feed: ChangeFeed;
  readonly network: NetworkOptions;
  readonly version: string;
  /** Empty for a server without credentials, where the user of this machine signs in with a link. */
  readonly verifiers: readonly Verifier[];
  readonly failed: FailedCredentials;
  readonly rate: RateLimit;
  readonly share: Share;
  readonly metrics: Pick<Metrics, 'summary'>;
  clients(): HttpCounts;
  isDraining(): boolean;
  /** The folder of the built pages; default that of the installed package. */
  readonly pages?: string | undefined;
  readonly log: Log;
}

/** The routes of the console, and how to end its streams. */
export interface Console {
  fetch(request: Request): Promise<Response>;
  /** Ends the streams that pages read. */
  drain(): void;
}

/** What the routes of somebody who is signed in know of a request. */
export interface ConsoleEnv {
  readonly Variables: {
    readonly signed: SignedInUser;
    /** Over the sessions they may see. */
    readonly operator: Operator;
  };
}
