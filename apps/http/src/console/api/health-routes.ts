import type { ConsoleHealth } from '@workflowlookup/console/contract';
import type { Host } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { Hono } from 'hono';
import type { SignedInUser } from '../account/accounts.ts';
import type { ConsoleEnv, ConsoleParts } from '../requests.ts';
import { routes } from '../requests.ts';
import { sourcesFor } from './workflow-routes.ts';
import { consoleMessages } from '../../messages.ts';

export function healthRoutes(parts: ConsoleParts): Hono<ConsoleEnv> {
  const { host, version, metrics, clients, isDraining } = parts;
  return routes({
    async 'GET /'({ operator, signed }): Promise<ConsoleHealth> {
      const [storage, sources, summary, sessions] = await Promise.all([
        storageHealth(host),
        sourcesWithProblems(host, signed),
        metrics.summary(),
        operator.counts(),
      ]);
      const ready = storage.database.ok && storage.keys.ok ? 'ready' : 'not_ready';
      return {
        status: isDraining() ? 'draining' : ready,
        version,
        node: process.version,
        uptimeSeconds: Math.round(process.uptime()),
        ...storage,
        sources,
        sessions,
        ...summary,
        clients: clients(),
        at: new Date().toISOString(),
      };
    },
  });
}

async function storageHealth(host: Host): Promise<Pick<ConsoleHealth, 'database' | 'keys'>> {
  const opened = await host
    .vault()
    .catch((error: unknown) =>
      error instanceof WorkflowError ? error.message : consoleMessages.databaseFailed(),
    );
  if (typeof opened === 'string') {
    return {
      database: { ok: false, adapter: '', lastChange: 0, problem: opened },
      keys: { ok: false, count: 0, problem: opened },
    };
  }
  const { ok, adapter, lastChange, problem } = await opened.store.health();
  const { length: count } = opened.keys.verifying;
  return {
    database: { ok, adapter, lastChange, ...(problem !== undefined && { problem }) },
    keys: { ok: count > 0, count },
  };
}

async function sourcesWithProblems(host: Host, signed: SignedInUser): Promise<ConsoleHealth['sources']> {
  const [sources, reports] = await Promise.all([sourcesFor(host, signed), host.definitions.sources()]);
  return sources.map((source) => {
    const { problems = [] } = reports.find(({ name }) => name === source.name) ?? {};
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    return { ...source, errors, warnings: problems.length - errors };
  });
}
