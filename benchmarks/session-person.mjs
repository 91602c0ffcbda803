import { withServers } from './servers.mjs';
import { withHost } from './with-host.mjs';

/** Flags of a server over a state directory where nobody has to wait for a checkpoint. */
export function askingNobody(stateDirectory) {
  return ['--state', stateDirectory, '--min-response-seconds', '0', '--trust-elicitation'];
}

/**
 * Runs a job with a server that is opened and, in the same state directory, sessions as a person sees them, who may answer
 * what no agent may.
 *
 * @param {{ server: import('./stdio-client.mjs').Client, stateDirectory: string }} options and more for the host
 */
export function withPerson({ server, ...options }, job) {
  return withServers({ server }, async () => {
    await server.open();
    return withHost({ ...options, minResponseMs: 0, trustElicitation: true }, ({ sessions }) =>
      job(sessions),
    );
  });
}
