import { midway } from '../definitions/definitions.mjs';

/** The calls ask for this many definitions in turn, however many the folder has. */
const asked = 10;

/** `workflow_next` through `tools/call`, over ten definitions spread across the folder. */
export function nextOverTools(server, count) {
  const call = async (turn) => (await server.tool('workflow_next', midway(pick(turn, count)))).ms;
  return { pid: server.pid, call };
}

/** `workflow_next` as a JSON-RPC method of its own. */
export function nextDirect(server, count) {
  const call = async (turn) => (await server.request('workflow_next', midway(pick(turn, count)))).ms;
  return { pid: server.pid, call };
}

/** The SDK's echo through `tools/call`. */
export function echo(server) {
  return { pid: server.pid, call: async () => (await server.tool('echo', { text: 'hello' })).ms };
}

function pick(turn, count) {
  return (turn % asked) * (count / asked);
}
