import { PassThrough } from 'node:stream';
import type { Workflow } from '@workflowlookup/schema';
import { servicesOver } from './services.ts';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import type { ServeStdioOptions, StdioService } from '../../src/index.ts';
import { serveStdio } from '../../src/index.ts';

/** A JSON-RPC message. */
export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly result?: Record<string, unknown> & { readonly structuredContent?: unknown };
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Record<string, unknown>;
  };
}

/** A server on streams of this process, and functions that act as its client. */
export interface Session {
  readonly service: StdioService;
  /** Everything written so far, in order. */
  readonly messages: readonly Message[];
  /** Everything logged so far. */
  readonly logged: readonly string[];
  readonly output: PassThrough;
  send(...messages: readonly unknown[]): void;
  raw(text: string): void;
  /** Sends a request and waits for its reply. */
  request(method: string, params?: unknown): Promise<Message>;
  /** Sends `initialize` and the notification that follows it. */
  open(version?: string): Promise<Message>;
  /** Waits for this number of messages and returns the last of them. */
  reply(count: number): Promise<Message>;
  /** Ends the input and waits until the service has ended. */
  end(): Promise<void>;
}

/** Serves these workflows from memory. */
export function serve(workflows: readonly Workflow[], more: Partial<ServeStdioOptions> = {}): Session {
  const input = new PassThrough();
  const output = new PassThrough();
  const messages: Message[] = [];
  const logged: string[] = [];
  let rest = '';
  output.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    messages.push(...lines.map((line) => JSON.parse(line) as Message));
  });
  const service = serveStdio({
    services: servicesOver(createMemoryStore(workflows)),
    version: '1.2.3',
    input,
    output,
    log: (level, event, facts) => logged.push(JSON.stringify({ level, event, ...facts })),
    ...more,
  });
  const until = async (found: () => Message | undefined): Promise<Message> => {
    for (;;) {
      const message = found();
      if (message !== undefined) return message;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  let lastId = 0;
  const raw = (text: string): void => void input.write(text);
  const send = (...sent: readonly unknown[]): void =>
    raw(sent.map((message) => `${JSON.stringify(message)}\n`).join(''));
  const request = (method: string, params?: unknown): Promise<Message> => {
    lastId += 1;
    const id = `r${lastId}`;
    send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    return until(() => messages.find((message) => message.id === id && message.method === undefined));
  };
  return {
    service,
    messages,
    logged,
    output,
    send,
    raw,
    request,
    async open(protocolVersion = '2025-06-18') {
      const reply = await request('initialize', { protocolVersion, capabilities: {} });
      send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      return reply;
    },
    reply: (count) => until(() => messages[count - 1]),
    async end() {
      input.end();
      await service.ended;
    },
  };
}
