import { isSessionId } from '@workflowlookup/core/tokens';
import type { Host } from '@workflowlookup/host';
import { createHost, openApiKeys } from '@workflowlookup/host';
import { readHostFlags } from '@workflowlookup/host/flags';
import { WorkflowError } from '@workflowlookup/schema';
import type { Environment } from './command-line.ts';
import { defined } from './command-line.ts';
import type { Suggestion } from './complete.ts';

export type IdKind = 'sessions' | 'workflows' | 'keys';

const most = 100;

/**
 * Returns the ids that exist in the state directory or database that the command line and the environment name. Never
 * creates one.
 */
export async function idsOf(
  kind: IdKind,
  { workflows, state, database }: Readonly<Record<string, string>>,
  env: Environment,
): Promise<readonly Suggestion[]> {
  const flags = defined({ workflows: workflows === undefined ? undefined : [workflows], state, database });
  const options = readHostFlags(flags, env);
  if (typeof options === 'string') return [];
  const host = createHost(options);
  try {
    return await listers[kind](host);
  } catch (error) {
    // Completion stays silent; the command itself will report the error.
    if (error instanceof WorkflowError) return [];
    throw error;
  } finally {
    await host.close();
  }
}

const listers: Readonly<Record<IdKind, (host: Host) => Promise<readonly Suggestion[]>>> = {
  async sessions({ operator, state }) {
    const { sessions } = state.isMade() ? await operator.find({}, { limit: most }) : { sessions: [] };
    return sessions
      .filter(({ sid }) => isSessionId(sid))
      .map(({ sid, workflowId, status }) => ({ value: sid, about: `${workflowId}, ${status}` }));
  },
  async workflows({ engine }) {
    return (await engine.summaries()).map(({ id, name }) => ({ value: id, about: name }));
  },
  async keys({ access }) {
    const keys = await openApiKeys(access).list();
    return keys
      .filter(({ revokedAt }) => revokedAt === undefined)
      .map(({ id, principal }) => ({ value: id, about: principal }));
  },
};
