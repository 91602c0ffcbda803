import type { ConsoleHealth } from '@workflowlookup/console/contract';
import type { SessionStorage } from '@workflowlookup/core/sessions';
import { WorkflowError } from '@workflowlookup/schema';
import { Hono } from 'hono';
import type { ConsoleEnv, ConsoleParts } from '../requests.ts';
import { sourcesFor } from './workflow-routes.ts';
import { consoleMessages } from '../../messages.ts';

export function healthRoutes(parts: ConsoleParts): Hono<ConsoleEnv> {
  const { host, version, metrics, clients, isDraining } = parts;
  return new Hono<ConsoleEnv>().get('/', async (context) => {
    const opened = await open(host.vault());
    const [database, sources, summary, sessions] = await Promise.all([
      databaseOf(opened),
      sourcesWithProblems(parts, context.get('signed')),
      metrics.summary(),
      context.get('operator').counts(),
    ]);
    const keys = keysOf(opened);
    const ready = database.ok && keys.ok ? 'ready' : 'not_ready';
    const answer: ConsoleHealth = {
      status: isDraining() ? 'draining' : ready,
      version,
      node: process.version,
      uptimeSeconds: Math.round(process.uptime()),
      database,
      keys,
      sources,
      sessions,
      ...summary,
      clients: clients(),
      at: new Date().toISOString(),
    };
    return context.json(answer);
  });
}

type Opened = SessionStorage | { readonly problem: string };

function open(vault: Promise<SessionStorage>): Promise<Opened> {
  return vault.catch((error: unknown) => ({
    problem: error instanceof WorkflowError ? error.message : consoleMessages.databaseFailed(),
  }));
}

async function databaseOf(opened: Opened): Promise<ConsoleHealth['database']> {
  if ('problem' in opened) return { ok: false, adapter: '', lastChange: 0, problem: opened.problem };
  const { ok, adapter, lastChange, problem } = await opened.store.health();
  return { ok, adapter, lastChange, ...(problem !== undefined && { problem }) };
}

function keysOf(opened: Opened): ConsoleHealth['keys'] {
  if ('problem' in opened) return { ok: false, count: 0, problem: opened.problem };
  const { length: count } = opened.keys.verifying;
  return { ok: count > 0, count };
}

async function sourcesWithProblems(
  { host }: ConsoleParts,
  signed: ConsoleEnv['Variables']['signed'],
): Promise<ConsoleHealth['sources']> {
  const [sources, reports] = await Promise.all([sourcesFor(host, signed), host.definitions.sources()]);
  return sources.map((source) => {
    const { problems = [] } = reports.find(({ name }) => name === source.name) ?? {};
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    return { ...source, errors, warnings: problems.length - errors };
  });
}
