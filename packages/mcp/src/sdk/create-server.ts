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

/**
 * What a server is made for: a connection; one request, where others tell who listens what changed; one request about
 * tools, which costs half as much.
 */
export type ServerUse = 'connection' | 'request' | 'tools';

/** Makes a server of the SDK. */
export type MakeServer = (parts: ServerParts, use: ServerUse) => McpServer;

/** Makes the server behind the front door: every handler is ours, the SDK speaks the protocol. */
export function createServer(parts: ServerParts, use: ServerUse): McpServer {
  const mcp = new McpServer(parts.identity, {
    capabilities,
    instructions: instructionsFor(parts.tools),
    cacheHints,
  });
  serveTools(mcp, parts);
  if (use === 'tools') return mcp;
  serveResources(mcp, parts);
  serveSkills(mcp, parts);
  servePrompts(mcp, parts);
  serveCompletion(mcp, parts);
  if (use === 'connection') announceChanges(mcp, parts);
  return mcp;
}
