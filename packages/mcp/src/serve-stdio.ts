import type { Readable, Writable } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createBackendLink, createClientRequests } from './json-rpc/peers.ts';
import { RpcConnection, WaitingCalls } from './json-rpc/connection.ts';
import type { RpcMessage, RpcReply } from './json-rpc/rpc-messages.ts';
import { errorReply, rpcCodes } from './json-rpc/rpc-messages.ts';
import type { Log } from './log.ts';
import { describeError } from './log.ts';
import { messages } from './messages.ts';
import { serverIdentity, initializeResult } from './server-info.ts';
import type { IdentifiedCall } from './tool-support/run-tool.ts';
import type { Services, Tool } from './tool-support/tool.ts';
import { tools as allTools } from './tools/table.ts';

/** The maximum size of a message in bytes. A longer one is refused without being kept in memory. */
const maxMessageBytes = 10_000_000;

/** Options for {@link serveStdio}. */
export interface ServeStdioOptions {
  /** Loads the engine and the sessions. Called once, when the first request needs them. */
  readonly services: () => Promise<Services>;
  /** The version of the package, which clients are shown. */
  readonly version: string;
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Log;
  readonly tools?: readonly Tool[];
  /** Called before the answer is sent, if the client gave the call an id and the answer has a session token. */
  onIdentifiedCall?(call: IdentifiedCall): void;
}

/** A running stdio server. */
export interface StdioService {
  /** Resolves when the connection has ended: by the end of input, `shutdown`, `stop`, or a closed output. */
  readonly ended: Promise<void>;
  /** Stops reading and waits at most `graceMs` (default 10 seconds) for the requests in progress. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Serves workflows over newline-delimited JSON-RPC: every MCP revision, and each tool as a method of its own.
 *
 * @example
 *   const host = createHost();
 *   const { ended } = serveStdio({
 *     services: () => Promise.resolve(host),
 *     version: '1.0.0',
 *     input: process.stdin,
 *     output: process.stdout,
 *     log: createLog((line) => process.stderr.write(line)),
 *   });
 *   await ended;
 */
export function serveStdio(options: ServeStdioOptions): StdioService {
  const { input, output } = options;
  const write = (message: RpcMessage | readonly RpcReply[]): void => {
    if (output.writable) output.write(`${JSON.stringify(message)}\n`);
  };
  const { connection, close } = openConnection(options, { write, onShutdown: () => void stop() });
  const framer = createLineFramer(maxMessageBytes, {
    line: (text) => void receive(text),
    tooLong: () => write(tooLargeReply),
  });

  async function receive(text: string): Promise<void> {
    const reply = await connection.receive(text);
    if (reply !== undefined) write(reply);
  }

  let stopping: Promise<void> | undefined;
  let finish: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });

  function stop(graceMs = 10_000): Promise<void> {
    stopping ??= end(graceMs).finally(finish);
    return stopping;
  }

  async function end(graceMs: number): Promise<void> {
    input.off('data', framer.push);
    await Promise.race([connection.drain(), setTimeout(graceMs, undefined, { ref: false })]);
    // A reply is written right after its request settles, so one turn of the event loop is enough to write it.
    await setImmediate();
    await Promise.race([close(), setTimeout(graceMs, undefined, { ref: false })]);
    if (output.writable) await new Promise<void>((resolve) => output.write('', () => resolve()));
  }

  input.on('data', framer.push);
  input.once('end', () => {
    framer.end();
    void stop();
  });
  output.on('error', () => void stop(0));
  return { ended, stop };
}

const tooLargeReply = errorReply(null, {
  code: rpcCodes.invalidRequest,
  message: 'Message too large',
  data: { details: messages.messageTooLarge(maxMessageBytes) },
});

/** Opens the connection. The SDK's server and the tool runner are loaded when they are first needed. */
function openConnection(
  options: ServeStdioOptions,
  client: { write(message: RpcMessage): void; onShutdown(): void },
): { connection: RpcConnection; close(): Promise<void> } {
  const identity = serverIdentity(options.version);
  const tools = options.tools ?? allTools;
  const services = once(options.services);
  const waiting = new WaitingCalls();
  const onError = (error: unknown): void => options.log('error', 'failure', describeError(error));
  const { onIdentifiedCall } = options;
  const identified = onIdentifiedCall === undefined ? {} : { onIdentifiedCall };
  const backend = createBackendLink(async (transport) => {
    const { openBackend } = await import('./sdk/create-server.ts');
    return openBackend(transport, { services, tools, identity, waiting, onError, ...identified });
  }, client.write);
  const toolRunner = once(async () => {
    const { createToolRunner } = await import('./tool-support/run-tool.ts');
    return createToolRunner({ tools, identity, services, onError, ...identified });
  });
  const connection = new RpcConnection({
    tools,
    toolRunner,
    backend,
    client: createClientRequests(client.write),
    waiting,
    introduce: (version) => initializeResult(version, identity, tools),
    onError,
    // What calls need is loaded after the list of tools is sent, so that the first call need not wait for it.
    onToolsListed: () =>
      void setImmediate()
        .then(toolRunner)
        .then(services)
        .then(({ engine }) => engine.summaries())
        .catch(onError),
    onShutdown: client.onShutdown,
  });
  return { connection, close: () => backend.close() };
}

/** Returns a loader that runs `load` only once. After a failure, the next call runs it again. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

const newline = 10;

/** Receives the lines of a stream. */
interface LineSink {
  /** Called with each line, without its newline. The line may end with a carriage return. */
  line(text: string): void;
  /** Called when a line exceeds the limit. The rest of that line is discarded. */
  tooLong(): void;
}

/**
 * Splits a stream of bytes into lines, and keeps at most `maxBytes` of an unfinished line. It works on bytes so that a
 * character split across two chunks stays intact.
 */
export function createLineFramer(
  maxBytes: number,
  sink: LineSink,
): { push(chunk: Buffer): void; end(): void } {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let dropping = false;

  function finish(): void {
    if (!dropping && heldBytes > 0) sink.line(Buffer.concat(held, heldBytes).toString('utf8'));
    held = [];
    heldBytes = 0;
    dropping = false;
  }

  function hold(part: Buffer): void {
    if (dropping || part.length === 0) return;
    if (heldBytes + part.length > maxBytes) {
      held = [];
      heldBytes = 0;
      dropping = true;
      sink.tooLong();
      return;
    }
    held.push(part);
    heldBytes += part.length;
  }

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        hold(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      hold(chunk.subarray(from));
    },
    end: finish,
  };
}
