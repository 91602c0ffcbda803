import type { ServerAddress, ServerCommand } from '@workflowlookup/mcp/client';
import { connect } from '@workflowlookup/mcp/client';
import type { Check } from './check.ts';
import { failure, fine, problem } from './check.ts';

const name = 'server';

/** Whether a client that connects to the server, as agents do, sees its tools and gets an answer. */
export async function roundTrip(
  server: ServerAddress | ServerCommand,
  fixOf: (error?: unknown) => string,
): Promise<Check> {
  const startMs = performance.now();
  try {
    const connection = await connect(server);
    try {
      const tools = await connection.toolNames();
      const { isError, text, structured } = await connection.call('workflow_list', {});
      if (isError) return problem(name, `workflow_list is refused: ${text}`, fixOf());
      const workflows = (structured['workflows'] as readonly unknown[] | undefined)?.length ?? 0;
      const ms = Math.round(performance.now() - startMs);
      return fine(
        name,
        `${tools.length} tools and ${workflows === 1 ? '1 workflow' : `${workflows} workflows`}, after ${ms} ms`,
      );
    } finally {
      await connection.close();
    }
  } catch (error) {
    return failure(name, error, fixOf(error));
  }
}
