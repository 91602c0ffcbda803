import type { Caller } from '@workflowlookup/core/sessions';
import type { KeyRing } from '@workflowlookup/core/tokens';
import type { VersionPolicy } from '../json-rpc/lifecycle.ts';
import { maxBatch } from '../json-rpc/lifecycle.ts';
import type { Log } from '../log.ts';
import type { CallWatchers } from '../tool-support/run-tool.ts';
import type { Services, Tool } from '../tool-support/tool.ts';
import type { BodyLimits } from './requests.ts';
import type { RevokedIds } from './live-sessions.ts';

/** The limits of one replica. */
export interface HttpLimits extends BodyLimits {
  /** The maximum number of open legacy sessions. Idle ones are closed to make room. */
  readonly maxSessions: number;
  /**
   * The maximum number of streams that are read at once. Beyond it, clients can't listen, and replies in legacy sessions are
   * single JSON bodies, so that no person can be asked.
   */
  readonly maxStreams: number;
  /** The maximum number of streams of one principal. */
  readonly maxStreamsOfEach: number;
  /** The maximum number of messages in a batch of revision 2025-03-26. */
  readonly maxBatch: number;
}

/** Options for {@link createHttpHandler}. */
export interface HttpHandlerOptions extends Partial<VersionPolicy>, CallWatchers {
  /** Loads the engine and the sessions of a caller. It is called for every request, so it should cache them. */
  services(caller: Caller): Promise<Services>;
  /** Loads the keys that sign session ids and the state of calls. All replicas must share them. */
  keys(): Promise<KeyRing>;
  /** The ids of ended sessions, which replicas should share. By default they are kept in this process. */
  readonly revoked?: RevokedIds;
  /** The version of the package, which clients are shown. */
  readonly version: string;
  readonly log: Log;
  readonly tools?: readonly Tool[];
  readonly limits?: Partial<HttpLimits>;
  readonly now?: () => number;
}

/** The authenticated sender of a request, with the checks that apply to them. */
export interface RequestSender {
  readonly caller: Caller;
  /** Returns the response to a call of a tool the sender may not use, or `undefined` if they may use it. */
  refuse?(tool: Tool): Response | undefined;
  /**
   * Called with the number of messages in a batch, before any of them is handled. A response refuses the whole batch. It is
   * not called for single messages.
   */
  charge?(messages: number): Response | undefined;
  /** Called with the size of a body, before it is decoded. A response refuses the request. */
  chargeBody?(bytes: number): Response | undefined;
  /** Additional headers of every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an HTTP handler currently keeps open. */
export interface HttpCounts {
  /** The number of open legacy sessions. */
  readonly sessions: number;
  /** The number of streams that are being read. */
  readonly streams: number;
}

/** Serves `/mcp`: every MCP revision, and in legacy sessions each tool as a method of its own. */
export interface HttpHandler {
  /** Answers a request. */
  fetch(request: Request, visitor: RequestSender): Promise<Response>;
  /** Returns the number of open sessions and streams. */
  counts(): HttpCounts;
  /** Waits for the requests in progress and ends every stream. Later requests are refused. */
  close(): Promise<void>;
}

export const defaultHttpLimits: HttpLimits = {
  maxBodyBytes: 10_000_000,
  bodyTimeoutMs: 30_000,
  maxSessions: 1000,
  maxStreams: 1000,
  maxStreamsOfEach: 1000,
  maxBatch,
};
