import { createEngine } from '@workflowlookup/core';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import type { HttpHandler, HttpHandlerOptions } from '../../../src/http.ts';
import { mountServer } from '../../../src/http/http-handler.ts';
import { reviewFlow } from '../flow.ts';
import { noSessions } from '../services.ts';
import { fixtureServer } from './fixture-server.ts';

/** Serves the fixtures of the conformance suite through our HTTP handler. */
export function mountFixtures(
  options: Omit<HttpHandlerOptions, 'engine' | 'sessionsOf' | 'tools'>,
): HttpHandler {
  const workflows = createMemoryStore([]);
  let changes = 0;
  const changePrompts = (): void => {
    changes += 1;
    workflows.set({ ...reviewFlow, digest: String(changes) });
  };
  const own = { engine: createEngine({ workflows }), sessionsOf: () => noSessions };
  return mountServer({ ...options, ...own }, fixtureServer(changePrompts));
}
