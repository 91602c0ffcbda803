import type { HostOptions } from '@workflowlookup/host';
import type { CallWatchers } from '@workflowlookup/mcp/http';

export interface TracedRequest {
  readonly method: string;
  readonly route: string;
  readonly url: URL;
  /** Whether the server goes by the host of that address. */
  readonly isKnownHost: boolean;
  /** Where the sender says which trace it belongs to. */
  readonly headers: Headers;
}

/** Traces what a server does and sends the spans to a receiver. Requests never wait for that. */
export interface Telemetry extends Required<Pick<CallWatchers, 'wrapCall'> & Pick<HostOptions, 'wrapStore'>> {
  aroundRequest(request: TracedRequest, handle: () => Promise<Response>): Promise<Response>;
  /** The trace of the request that is handled now. */
  traceId(): string | undefined;
  /** Sends what was not sent yet, for a moment at most. */
  close(): Promise<void>;
}
