import { createMemoryStore } from '@workflowlookup/storage/memory';
import type { HttpHandler } from '../../src/http.ts';
import { mountServer } from '../../src/http/create-http-handler.ts';
import type { Log } from '../../src/log.ts';
import { reviewFlow } from '../flow.ts';
import { servicesOver } from '../services.ts';
import { ring } from '../web.ts';
import { fixtureServer } from './fixture-server.ts';

/** Mounts the suite's fixtures behind the HTTP door. */
export function mountFixtures(log: Log): HttpHandler {
  const workflows = createMemoryStore([]);
  let changes = 0;
  const changePrompts = (): void => {
    changes += 1;
    workflows.set({ ...reviewFlow, digest: String(changes) });
  };
  const services = servicesOver(workflows);
  return mountServer(
    { services: () => services(), keys: () => Promise.resolve(ring(1)), version: '1.2.3', log },
    fixtureServer(changePrompts),
  );
}
