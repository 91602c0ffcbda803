import { McpServer } from '@modelcontextprotocol/server';
import { capabilities, instructionsFor } from '../introduction.ts';
import { serveCompletion } from './completion.ts';
import { announceChanges } from './notifications.ts';
import { servePrompts } from './prompts.ts';
import { serveResources } from './resources.ts';
import { serveSkills } from './skills.ts';
import type { ServerParts } from './server-parts.ts';
import { serveTools } from './tools.ts';

/** Tools never change while a server runs; definitions may, and then a notification says so. */
const cacheHints = {
  'tools/list': { ttlMs: 3_600_000, cacheScope: 'public' },
  'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' },
  'resources/templates/list': { ttlMs: 3_600_000, cacheScope: 'public' },
  'resources/list': { ttlMs: 1000, cacheScope: 'private' },
  'resources/read': { ttlMs: 1000, cacheScope: 'private' },
  'prompts/list': { ttlMs: 1000, cacheScope: 'private' },
} as const;

/** Makes the SDK's server of a connection: every handler is ours, the SDK speaks the protocol. */
export function createServer(parts: ServerParts): McpServer {
  const mcp = createQuietServer(parts);
  announceChanges(mcp, parts);
  return mcp;
}

/** Makes the same for one request: who listens to changes is told by others. */
export function createQuietServer(parts: ServerParts): McpServer {
  const mcp = createToolServer(parts);
  serveResources(mcp, parts);
  serveSkills(mcp, parts);
  servePrompts(mcp, parts);
  serveCompletion(mcp, parts);
  return mcp;
}

/** Makes the same for one request about tools, which costs half as much. */
export function createToolServer(parts: ServerParts): McpServer {
  const mcp = new McpServer(parts.identity, {
    capabilities,
    instructions: instructionsFor(parts.tools),
    cacheHints,
  });
  serveTools(mcp, parts);
  return mcp;
}
