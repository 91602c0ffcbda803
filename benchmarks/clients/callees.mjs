import { midway } from '../definitions/definitions.mjs';

/** The number of definitions that the calls use in turn, in a folder of any size. */
const asked = 10;

/** Calls `workflow_next` through `tools/call`, with definitions from all parts of the folder. */
export function nextOverTools(server, count) {
  const call = async (turn) => (await server.tool('workflow_next', midway(pick(turn, count)))).ms;
  return { pid: server.pid, call };
}

/** Calls `workflow_next` as a JSON-RPC method. */
export function nextDirect(server, count) {
  const call = async (turn) => (await server.request('workflow_next', midway(pick(turn, count)))).ms;
  return { pid: server.pid, call };
}

/** Calls the tool of the echo server through `tools/call`. */
export function echo(server) {
  return { pid: server.pid, call: async () => (await server.tool('echo', { text: 'hello' })).ms };
}

function pick(turn, count) {
  return (turn % asked) * (count / asked);
}
