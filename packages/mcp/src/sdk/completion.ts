import type { McpServer } from '@modelcontextprotocol/server';
import type { ServerParts } from './server-parts.ts';
import { guarded } from './guarded.ts';

const maxValues = 100;

/** Completes workflow ids in `workflow://{id}`, and the two values of a boolean variable in prompts. */
export function serveCompletion({ server }: McpServer, parts: ServerParts): void {
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) =>
    guarded(parts, async () => {
      const candidates =
        ref.type === 'ref/prompt'
          ? await valuesOf(ref.name, argument.name, parts)
          : await idsFor(ref.uri, argument.name, parts);
      const matching = candidates.filter((value) => value.startsWith(argument.value));
      const values = matching.slice(0, maxValues);
      return { completion: { values, total: matching.length, hasMore: matching.length > values.length } };
    }),
  );
}

async function idsFor(uri: string, argument: string, { engine }: ServerParts): Promise<readonly string[]> {
  if (uri !== 'workflow://{id}' || argument !== 'id') return [];
  return (await engine.summaries()).map(({ id }) => id);
}

async function valuesOf(
  workflowId: string,
  argument: string,
  { engine }: ServerParts,
): Promise<readonly string[]> {
  const { definition } = await engine.get(workflowId);
  const variable = definition.variables?.find(({ name }) => name === argument);
  return variable?.type === 'boolean' ? ['false', 'true'] : [];
}
