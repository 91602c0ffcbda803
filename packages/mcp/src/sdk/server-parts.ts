import type { ServerIdentity } from '../introduction.ts';
import type { Services, Tool } from '../tools/tool.ts';

/** What an SDK server is made of; one server is made for each connection. */
export interface ServerParts extends Services {
  readonly tools: readonly Tool[];
  readonly identity: ServerIdentity;
  /** Told of failures that are not the caller's. */
  onError(error: unknown): void;
}
