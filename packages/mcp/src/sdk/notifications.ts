import type { McpServer } from '@modelcontextprotocol/server';
import type { WorkflowChange } from '@workflowlookup/core';
import type { ServerParts } from './server-parts.ts';
import { workflowUri } from './resources.ts';

/** Tells a client that definitions changed: the lists to everybody, a resource to those who subscribed to it. */
export function announceChanges({ server }: McpServer, { engine, onError }: ServerParts): void {
  const subscribed = new Set<string>();
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  const announce = async (change: WorkflowChange): Promise<void> => {
    await server.sendResourceListChanged();
    await server.sendPromptListChanged();
    const uris = change === 'all' ? [...subscribed] : change.map(workflowUri);
    for (const uri of uris)
      if (subscribed.has(uri) || isModern(server)) await server.sendResourceUpdated({ uri });
  };
  const stop = engine.watch((change) => {
    announce(change).catch(onError);
  });
  server.onclose = stop;
}

/** On revisions that subscribe by a stream, the SDK itself knows who listens to which resource. */
function isModern(server: McpServer['server']): boolean {
  return (server.getNegotiatedProtocolVersion() ?? '') >= '2026';
}
