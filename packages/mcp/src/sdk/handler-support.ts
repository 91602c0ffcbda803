import { ProtocolError } from '@modelcontextprotocol/server';
import type { Caller } from '@workflowlookup/core/sessions';
import { WorkflowError } from '@workflowlookup/schema';
import type { WaitingCalls } from '../concurrency.ts';
import { messages } from '../messages.ts';
import type { ServerIdentity } from '../server-info.ts';
import type { IdentifiedCall, ToolRunner } from '../tool-support/run-tool.ts';
import type { Services, Tool } from '../tool-support/tool.ts';
import type { RequestStates } from './elicitation.ts';

/** What the handlers of an SDK server use. One server is created for each connection. */
export interface ServerParts extends Services {
  readonly tools: readonly Tool[];
  readonly identity: ServerIdentity;
  readonly states: RequestStates;
  readonly waiting: WaitingCalls;
  /** Called with errors that the caller did not cause. */
  onError(error: unknown): void;
  onIdentifiedCall?(call: IdentifiedCall): void;
  /** A tool runner shared with other servers, and the caller. By default the server creates its own tool runner. */
  readonly shared?: { readonly toolRunner: ToolRunner; readonly caller: Caller };
}

/**
 * Runs a handler and converts its errors to protocol errors. The SDK would send the message of any error to the client, so
 * unexpected errors are replaced by "Internal error".
 *
 * @throws ProtocolError
 */
export async function withProtocolErrors<T>(parts: ServerParts, handler: () => Promise<T>): Promise<T> {
  try {
    return await handler();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof WorkflowError)
      throw new ProtocolError(-32602, 'Invalid params', { details: error.message });
    parts.onError(error);
    throw new ProtocolError(-32603, 'Internal error');
  }
}

const pageSize = 200;
const prefix = 'after:';

/** One page of a list that is sorted by id. */
interface IdPage<T> {
  readonly items: readonly T[];
  readonly isFirst: boolean;
  /** The cursor of the next page, to spread into a result. Empty on the last page. */
  readonly next: { readonly nextCursor?: string };
}

/**
 * Returns one page of a list that is sorted by id. Without a cursor, or with an empty one, it is the first page.
 *
 * @throws ProtocolError -32602 if the cursor is not the `nextCursor` of a page
 */
export function pageOf<T extends { readonly id: string }>(
  all: readonly T[],
  cursor: string | undefined,
): IdPage<T> {
  if (cursor !== undefined && cursor !== '' && !cursor.startsWith(prefix)) {
    throw new ProtocolError(-32602, 'Invalid params', {
      details: messages.wrongCursor(),
    });
  }
  const isFirst = cursor === undefined || cursor === '';
  const after = isFirst ? '' : cursor.slice(prefix.length);
  const from = all.findIndex(({ id }) => id > after);
  const items = from < 0 ? [] : all.slice(from, from + pageSize);
  const last = items.at(-1);
  const more = last !== undefined && last !== all.at(-1);
  return { items, isFirst, next: more ? { nextCursor: prefix + last.id } : {} };
}
