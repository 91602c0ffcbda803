import type { RequestStates } from '../elicitation/request-state.ts';
import type { ServerIdentity } from '../introduction.ts';
import type { FinishedCall } from '../tool-desk.ts';
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
  /** Told of every call that ran, and how it came out. */
  onCall?(call: FinishedCall): void;
}
