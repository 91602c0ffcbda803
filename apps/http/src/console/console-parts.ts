import type { Host } from '@workflowlookup/host';
import type { Log } from '@workflowlookup/mcp';
import type { HttpCounts } from '@workflowlookup/mcp/http';
import type { ChangeFeed } from '../changes/change-feed.ts';
import type { Verifier } from '../auth/identity.ts';
import type { FailedCredentials } from '../guards/failed-credentials.ts';
import type { RateLimit } from '../guards/rate-limit.ts';
import type { Share } from '../guards/share.ts';
import type { Metrics } from '../metrics.ts';
import type { NetworkOptions } from '../network-options.ts';

/** What the console is made of. */
export interface ConsoleParts {
  readonly host: Host;
  readonly feed: ChangeFeed;
  readonly network: NetworkOptions;
  /** Version of the server. */
  readonly version: string;
  /** Empty for a server without credentials, where the user of this machine signs in with a link. */
  readonly verifiers: readonly Verifier[];
  readonly failed: FailedCredentials;
  readonly rate: RateLimit;
  readonly share: Share;
  readonly metrics: Pick<Metrics, 'summary'>;
  /** Of the clients of `/mcp`. */
  clients(): HttpCounts;
  isDraining(): boolean;
  /** The folder of the built pages; default that of the installed package. */
  readonly pages?: string | undefined;
  readonly log: Log;
}

/** What the console serves, and its end. */
export interface Console {
  fetch(request: Request): Promise<Response>;
  /** Ends the streams that pages read. */
  drain(): void;
}
