import { withServers } from '../servers/servers.mjs';
import { withHost } from '../servers/with-host.mjs';

/** Returns flags for a state directory with which checkpoints can be answered without delay. */
export function askingNobody(stateDirectory) {
  return ['--state', stateDirectory, '--min-response-seconds', '0', '--trust-elicitation'];
}

/**
 * Opens a server and runs a job with access to its sessions through the same state directory. That access can answer
 * checkpoints that require a person.
 *
 * @param {{ server: import('../clients/stdio-client.mjs').Client, stateDirectory: string }} options and more for the host
 */
export function withPerson({ server, ...options }, job) {
  return withServers({ server }, async () => {
    await server.open();
    return withHost({ ...options, minResponseMs: 0, trustElicitation: true }, ({ sessions }) =>
      job(sessions),
    );
  });
}
