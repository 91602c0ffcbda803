import { ProtocolError } from '@modelcontextprotocol/server';
import { WorkflowError } from '@workflowlookup/schema';
import type { ServerParts } from './server-parts.ts';

/**
 * Runs a handler so that a failure shows its kind and nothing of itself: the SDK would send any message as it is.
 *
 * @throws ProtocolError
 */
export async function guarded<T>(parts: ServerParts, handler: () => Promise<T>): Promise<T> {
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
