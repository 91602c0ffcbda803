import { spawn } from 'node:child_process';

const replyWithinMs = 120_000;

/**
 * A client of a server in a child process, over newline-delimited JSON-RPC. It measures the time of each reply.
 *
 * @typedef {object} Client
 * @property {number} pid
 * @property {(method: string, params?: object) => Promise<Reply>} request rejects on an error reply
 * @property {(name: string, args: object) => Promise<Reply>} tool `tools/call`; rejects on a tool error too
 * @property {(method: string) => void} notify
 * @property {() => Promise<Reply>} open makes the handshake; resolves to the reply to `initialize`
 * @property {() => Promise<void>} stop
 *
 * @typedef {object} Reply
 * @property {any} result
 * @property {number} ms from the request's write to the last byte of the reply
 * @property {number} sinceSpawnMs from the spawn to the last byte of the reply
 */

/**
 * Starts `node ...args` in a minimal environment with its own home. The environment has none of our options, and no
 * NODE_EXTRA_CA_CERTS, which would slow down every start.
 *
 * @param {readonly string[]} args
 * @param {string} home working folder and home of the child
 * @returns {Client}
 */
export function startServer(args, home) {
  const spawnedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd: home, env: environmentOf(home) });
  const waiting = new Map();
  const told = { stderr: '' };
  let lastId = 0;

  onLines(child.stdout, (line, at) => settle(waiting, { line, at, spawnedAt }));
  child.stderr.setEncoding('utf8').on('data', (text) => (told.stderr = (told.stderr + text).slice(-500)));
  child.stdin.on('error', () => undefined); // The exit of the process reports the error better.
  const exited = new Promise((resolve) => {
    child.once('close', (code, signal) => {
      for (const { reject } of waiting.values())
        reject(new Error(`The server exited (${code ?? signal}) before it replied. ${told.stderr}`));
      resolve();
    });
  });

  function write(message) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  function request(method, params) {
    const id = (lastId += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No reply to ${method}`)), replyWithinMs);
      const done = (settled) => (value) => (clearTimeout(timer), settled(value));
      waiting.set(id, { resolve: done(resolve), reject: done(reject), sentAt: performance.now() });
      write({ id, method, params });
    });
  }

  const notify = (method) => write({ method });
  return {
    pid: child.pid,
    request,
    notify,
    tool: async (name, given) => checked(name, await request('tools/call', { name, arguments: given })),
    async open() {
      const reply = await request('initialize', opening);
      notify('notifications/initialized');
      return reply;
    },
    async stop() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 3000);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Returns the session token from the metadata of a reply. */
export function sessionTokenOf({ result: { _meta: meta } }) {
  return meta.session_token;
}

/** Runs `node ...args`. Resolves to its standard output, and to the milliseconds from spawn to exit. */
export async function runToEnd(args, home) {
  const spawnedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd: home, env: environmentOf(home) });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${args[0]} exited with ${code}`);
  return { stdout, ms: performance.now() - spawnedAt };
}

const opening = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'benchmarks', version: '0.0.0' },
};

/** Returns the environment of a measured process. */
export function environmentOf(home) {
  const { PATH, LANG = 'C.UTF-8' } = process.env;
  return { PATH, LANG, HOME: home };
}

/** Calls back with each line and the time at which its last byte arrived. */
function onLines(stream, take) {
  let held = '';
  stream.setEncoding('utf8').on('data', (text) => {
    const at = performance.now();
    const lines = (held + text).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) take(line, at);
  });
}

function settle(waiting, { line, at, spawnedAt }) {
  const message = JSON.parse(line);
  const request = waiting.get(message.id);
  if (request === undefined) return;
  waiting.delete(message.id);
  if (message.error !== undefined) request.reject(new Error(JSON.stringify(message.error)));
  else request.resolve({ result: message.result, ms: at - request.sentAt, sinceSpawnMs: at - spawnedAt });
}

function checked(name, reply) {
  if (reply.result.isError === true) throw new Error(`${name}: ${JSON.stringify(reply.result.content)}`);
  return reply;
}
