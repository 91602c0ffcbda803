import { onTestFinished } from 'vitest';
import type { ConnectionTimes, Listening } from '../../src/app.ts';
import { listen } from '../../src/app.ts';
import type { TestService } from './service.ts';
import { openServiceWith } from './service.ts';

/** A server at a free port, with functions that send requests to it. */
export interface ServiceAtPort extends TestService {
  readonly server: Listening;
  /** Address of /mcp. */
  readonly url: URL;
}

/** Longer than the time limit of a test or a hook, so that a test fails if the server waits for it. */
export const drainMs = 900_000;

/** Opens a server with these flags, which is stopped after the test. */
export async function serveAtPort(
  flags: readonly string[] = [],
  { times, ...parts }: { readonly times?: ConnectionTimes } & Parameters<typeof openServiceWith>[0] = {},
): Promise<ServiceAtPort> {
  const opened = openServiceWith(parts, ...flags);
  const server = await listen(opened.service, { port: 0, address: '127.0.0.1', drainMs }, times);
  onTestFinished(() => server.stop());
  return { ...opened, server, url: new URL(server.url + opened.service.mcpPath()) };
}
