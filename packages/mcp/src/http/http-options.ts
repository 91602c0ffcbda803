import type { Caller, KeyRing } from '@workflowlookup/core';
import type { VersionPolicy } from '../front-door/lifecycle.ts';
import type { Log } from '../log.ts';
import type { Services, Tool } from '../tools/tool.ts';
import { maxBatch } from '../versions.ts';
import type { CallWatchers } from '../watched-call.ts';
import type { BodyLimits } from './read-body.ts';
import type { RevokedIds } from './revoked-ids.ts';

/** How much one replica takes on. */
export interface HttpLimits extends BodyLimits {
  /** Legacy sessions that are live at once; a quiet one makes room. */
  readonly maxSessions: number;
  /**
   * Streams that are read at once. Beyond it nobody can listen, and answers in legacy sessions are single bodies: nobody is
   * asked.
   */
  readonly maxStreams: number;
  /** The same for one principal, which can so not take the place of all. */
  readonly maxStreamsOfEach: number;
  /** Messages that one batch of 2025-03-26 may hold. */
  readonly maxBatch: number;
}

/** How to serve workflows over Streamable HTTP. */
export interface HttpHandlerOptions extends Partial<VersionPolicy>, CallWatchers {
  /** Loads what tools work with for a caller; cheap after the first time. */
  services(caller: Caller): Promise<Services>;
  /** Loads the keys that sessions and the state of calls are signed with; replicas share them. */
  keys(): Promise<KeyRing>;
  /** Where sessions that were ended are kept; replicas share it. Default this process. */
  readonly revoked?: RevokedIds;
  /** Version of the package, shown to clients. */
  readonly version: string;
  readonly log: Log;
  readonly tools?: readonly Tool[];
  readonly limits?: Partial<HttpLimits>;
  readonly now?: () => number;
}

/** Who sends a request. Whether they are who they say is settled before. */
export interface Visitor {
  readonly caller: Caller;
  /** The response to a call of a tool the visitor may not use; `undefined` where it may. */
  refuse?(tool: Tool): Response | undefined;
  /**
   * Told how many messages a batch has before any of them is answered; the response refuses all of them. A request that
   * is no batch is not told of.
   */
  charge?(messages: number): Response | undefined;
  /** Told how many bytes a body has, once it is read and before it is looked at; the response refuses it. */
  chargeBody?(bytes: number): Response | undefined;
  /** What every response carries besides. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the handler holds now. */
export interface HttpCounts {
  /** Legacy sessions that are live. */
  readonly sessions: number;
  /** Streams that are read. */
  readonly streams: number;
}

/** Serves `/mcp`: MCP of every revision, and in legacy sessions each tool as a method of its own. */
export interface HttpHandler {
  fetch(request: Request, visitor: Visitor): Promise<Response>;
  counts(): HttpCounts;
  /** Answers what is under way and ends every stream; requests that come after are refused. */
  close(): Promise<void>;
}

/** The limits without options. */
export const defaultHttpLimits: HttpLimits = {
  maxBodyBytes: 10_000_000,
  bodyTimeoutMs: 30_000,
  maxSessions: 1000,
  maxStreams: 1000,
  maxStreamsOfEach: 1000,
  maxBatch,
};
