import type { Sessions } from '@workflowlookup/core/sessions';
import { createEngine } from '@workflowlookup/core';
import type { WorkflowStore } from '@workflowlookup/storage';
import type { Services } from '../../src/tool-support/tool.ts';

/** Returns the services with these definitions, for tools that use no sessions. */
export function servicesOver(workflows: WorkflowStore): () => Promise<Services> {
  const engine = createEngine({ workflows });
  return () => Promise.resolve({ engine, sessions: noSessions });
}

/** Sessions for tools that use none. */
export const noSessions = new Proxy({} as Sessions, {
  get: (_target, name) => {
    throw new Error(`These tools use no sessions, yet ${String(name)} was asked for`);
  },
});
