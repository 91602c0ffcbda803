import type { Engine } from '@workflowlookup/core';
import type { ServerIdentity } from '../introduction.ts';
import type { Tool } from '../tools/tool.ts';

/** What an SDK server is made of; one server is made for each connection. */
export interface ServerParts {
  readonly engine: Engine;
  readonly tools: readonly Tool[];
  readonly identity: ServerIdentity;
  /** Told of failures that are not the caller's. */
  onError(error: unknown): void;
}
