import type { Readable, Writable } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createBackendLink } from './front-door/backend-link.ts';
import { createClientRequests } from './front-door/client-requests.ts';
import { FrontDoor } from './front-door/front-door.ts';
import type { RpcMessage, RpcReply } from './front-door/json-rpc.ts';
import { errorReply, rpcCodes } from './front-door/json-rpc.ts';
import type { VersionPolicy } from './front-door/lifecycle.ts';
import { createLineFramer } from './front-door/line-framing.ts';
import { identityOf, introduce } from './introduction.ts';
import type { Log } from './log.ts';
import { describeError } from './log.ts';
import { once } from './once.ts';
import { tools as allTools } from './tools/table.ts';
import type { Services, Tool } from './tools/tool.ts';
import { legacyVersions } from './versions.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** The longest message taken, in bytes; a longer one is refused without being held. */
const maxMessageBytes = 10_000_000;

/** How to serve workflows on a pair of streams. */
export interface ServeStdioOptions extends Partial<VersionPolicy> {
  /** Loads what tools work with; called once, when a request needs it. */
  readonly services: () => Promise<Services>;
  /** Version of the package, shown to clients. */
  readonly version: string;
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Log;
  readonly tools?: readonly Tool[];
}

/** A connection that is being served. */
export interface StdioService {
  /** Resolves when the connection is over: end of input, `shutdown`, `stop`, or an output that closed. */
  readonly ended: Promise<void>;
  /** Ends it: takes no more, and waits for what is under way for at most `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

/** Serves workflows over newline-delimited JSON-RPC: MCP of every revision, and each tool as a method of its own. */
export function serveStdio(options: ServeStdioOptions): StdioService {
  const { input, output } = options;
  const write = (message: RpcMessage | readonly RpcReply[]): void => {
    if (output.writable) output.write(`${JSON.stringify(message)}\n`);
  };
  const { door, close } = openDoor(options, { write, onShutdown: () => void stop() });
  const framer = createLineFramer(maxMessageBytes, {
    line: (text) => void receive(text),
    tooLong: () => write(tooLarge),
  });

  async function receive(text: string): Promise<void> {
    const reply = await door.receive(text);
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
    await Promise.race([door.drain(), setTimeout(graceMs, undefined, { ref: false })]);
    // Replies are written right after their request settles: one turn of the loop lets them out.
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

const tooLarge = errorReply(null, {
  code: rpcCodes.invalidRequest,
  message: 'Message too large',
  data: { details: `A message may have ${maxMessageBytes} bytes` },
});

/** The front door, and what is loaded behind it when first needed. */
function openDoor(
  options: ServeStdioOptions,
  wire: { write(message: RpcMessage): void; onShutdown(): void },
): { door: FrontDoor; close(): Promise<void> } {
  const identity = identityOf(options.version);
  const tools = options.tools ?? allTools;
  const services = once(options.services);
  const waiting = new WaitingCalls();
  const onError = (error: unknown): void => options.log('error', 'failure', describeError(error));
  const backend = createBackendLink(async (transport) => {
    const { openBackend } = await import('./sdk/open-backend.ts');
    return openBackend(transport, { services, tools, identity, waiting, onError });
  }, wire.write);
  const desk = once(async () => {
    const { createToolDesk } = await import('./tool-desk.ts');
    return createToolDesk({ tools, identity, services, onError });
  });
  const door = new FrontDoor({
    toolNames: new Set(tools.map(({ name }) => name)),
    desk,
    backend,
    client: createClientRequests(wire.write),
    waiting,
    versions: options.versions ?? legacyVersions,
    onUnsupported: options.onUnsupported ?? 'reject',
    introduce: (version) => introduce(version, identity, tools),
    onError,
    // Definitions are loaded once the listing is out, so that the first call need not wait for them.
    onToolsListed: () =>
      void setImmediate()
        .then(services)
        .then(({ engine }) => engine.summaries())
        .catch(onError),
    onShutdown: wire.onShutdown,
  });
  return { door, close: () => backend.close() };
}
