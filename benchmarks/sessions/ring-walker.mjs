import { ringId, ringManifest } from '../definitions/ring-workflow.mjs';
import { sessionTokenOf } from '../clients/stdio-client.mjs';

/**
 * Functions that start and advance a session of the ring workflow. Both resolve to its new token.
 *
 * @typedef {object} RingCalls
 * @property {() => Promise<string>} start
 * @property {(token: string, manifest?: object) => Promise<string>} move
 */

/**
 * Starts a session of the ring workflow and returns a function that advances it by one activity.
 *
 * @param {RingCalls} calls
 */
export async function ringWalker({ start, move }) {
  let token = await move(await start());
  return async () => (token = await move(token, ringManifest));
}

/**
 * Returns functions that use the sessions of a host in this process.
 *
 * @returns {RingCalls}
 */
export function inProcess(sessions) {
  return {
    start: async () => (await sessions.start({ agentId: 'bench', workflowId: ringId })).token,
    move: async (token, manifest) => (await sessions.move(token, { ...(manifest && { manifest }) })).token,
  };
}

/**
 * Returns functions that call the tools of a server.
 *
 * @param {(name: string, args: object) => Promise<{ readonly result: any }>} tool
 * @returns {RingCalls}
 */
export function overTools(tool) {
  const call = async (name, args) => sessionTokenOf(await tool(name, args));
  return {
    start: () => call('start_session', { agent_id: 'bench', workflow_id: ringId }),
    move: (token, manifest) =>
      call('next_activity', { session_token: token, ...(manifest && { step_manifest: manifest }) }),
  };
}
