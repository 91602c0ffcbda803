import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { capabilities } from '../../../src/server-info.ts';
import type { MakeServer } from '../../../src/sdk/create-server.ts';
import { announceChanges } from '../../../src/sdk/resources.ts';
import { registerAskingTools } from './fixture-asking-tools.ts';
import { image } from './fixture-content.ts';
import { fixtureCall, registerInputTools } from './fixture-input-tools.ts';
import { registerPrompts } from './fixture-prompts.ts';
import { registerTools } from './fixture-tools.ts';

/** Makes the server with the tools, resources and prompts that the conformance suite calls by name. */
export function fixtureServer(changePrompts: () => void): MakeServer {
  return (parts, use) => {
    const mcp = new McpServer(parts.identity, {
      capabilities: { ...capabilities, logging: {} },
      requestState: { verify: (state) => parts.states.verify(state, fixtureCall) },
    });
    registerTools(mcp, changePrompts);
    registerAskingTools(mcp);
    registerInputTools(mcp, parts.states);
    registerResources(mcp);
    registerPrompts(mcp);
    mcp.server.setRequestHandler('completion/complete', ({ params }) => {
      const values = ['paris', 'park', 'party'].filter((value) => value.startsWith(params.argument.value));
      return { completion: { values, total: values.length, hasMore: false } };
    });
    if (use === 'connection') announceChanges(mcp, parts);
    return mcp;
  };
}

function registerResources(mcp: McpServer): void {
  mcp.registerResource(
    'text',
    'test://static-text',
    { description: 'A text', mimeType: 'text/plain' },
    ({ href: uri }) => ({
      contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    }),
  );
  mcp.registerResource(
    'binary',
    'test://static-binary',
    { description: 'An image', mimeType: image.mimeType },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: image.mimeType, blob: image.data }] }),
  );
  mcp.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data by id', mimeType: 'application/json' },
    ({ href: uri }, { id }) => {
      const data = { id, templateTest: true, data: `Data for ID: ${String(id)}` };
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }] };
    },
  );
}
