import type { Caller } from '@workflowlookup/core';
import type { RequestStates } from '../elicitation/request-state.ts';
import type { ServerIdentity } from '../introduction.ts';
import type { ToolDesk } from '../tool-desk.ts';
import type { Services, Tool } from '../tools/tool.ts';
import type { WaitingCalls } from '../waiting-calls.ts';

/** What an SDK server is made of; one server is made for each connection. */
export interface ServerParts extends Services {
  readonly tools: readonly Tool[];
  readonly identity: ServerIdentity;
  readonly states: RequestStates;
  readonly waiting: WaitingCalls;
  /** Told of failures that are not the caller's. */
  onError(error: unknown): void;
  /** The desk calls go to, and who calls; without them a desk of these parts. */
  readonly shared?: { readonly desk: ToolDesk; readonly caller: Caller };
}
