import { createLog } from '@workflowlookup/mcp';
import { mountFixtures } from '../../../../packages/mcp/test/conformance/mount-fixtures.ts';
import { createApp } from '../../src/app.ts';
import { createChallenge } from '../../src/auth/challenge.ts';
import { createDoor } from '../../src/door.ts';
import { createAllowList } from '../../src/guards/allow-list.ts';
import { createFailedCredentials } from '../../src/guards/failed-credentials.ts';
import { createRateLimit } from '../../src/guards/rate-limit.ts';
import { createShare } from '../../src/guards/share.ts';
import type { Listening } from '../../src/listen.ts';
import { listen } from '../../src/listen.ts';
import { createMetrics } from '../../src/metrics.ts';

const maxRequests = 100;

/** Serves the suite's fixtures in place of our own server: everything before it is what is shipped. */
export async function serveFixtures(): Promise<Listening & { readonly logged: readonly string[] }> {
  const logged: string[] = [];
  const log = createLog((line) => logged.push(line));
  const handler = mountFixtures(log);
  const failed = createFailedCredentials({ authFailures: 0, trustedProxies: [] });
  const door = createDoor({
    handler,
    verifiers: [],
    failed,
    challenge: createChallenge(undefined),
    rate: createRateLimit({ perSecond: 0, burst: 0 }),
    share: createShare(maxRequests),
    onError: (error) => logged.push(String(error)),
  });
  const app = createApp({
    allowed: createAllowList({ hosts: [], origins: [], loopbackOrigins: true }),
    failed,
    door,
    metrics: createMetrics(
      { counts: () => handler.counts(), workflowSessions: () => Promise.resolve(undefined) },
      false,
    ),
    ready: { vault: () => Promise.reject(new Error('There is no state')), isDraining: () => false },
    maxRequests,
    log,
  });
  const service = {
    app,
    warm: () => Promise.resolve(),
    leave: () => undefined,
    drain: () => handler.close(),
    close: () => Promise.resolve(),
  };
  return { ...(await listen(service, { port: 0, address: '127.0.0.1', drainMs: 2000 })), logged };
}
