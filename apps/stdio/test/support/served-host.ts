import { PassThrough } from 'node:stream';
import type { HostOptions } from '@workflowlookup/host';
import { createHost } from '@workflowlookup/host';
import { serveStdio } from '@workflowlookup/mcp';

/** The answer of a tool as a model and its client see it. */
export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  /** The parsed text, if it is JSON. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  /** The token for the next call, or `''`. */
  readonly token: string;
  /** The name of the error, or `''`. */
  readonly error: string;
  /** The complete response. */
  readonly raw: string;
}

/** A server in this process with its own streams and database, and without a client. */
export interface ServedHost {
  call(name: string, args?: object): Promise<Answer>;
  /** Sends arguments as text, because an object literal would lose a key such as `__proto__`. */
  callWith(name: string, json: string): Promise<Answer>;
  /** Sends any text as one or more lines, and returns the lines that came back before the answer to a following request. */
  tell(text: string): Promise<readonly string[]>;
  /** Everything logged so far. */
  readonly logged: readonly string[];
  close(): Promise<void>;
}

/** The first messages of a client. */
export const hello = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {} },
};

/** Serves a host over the streams of a stdio client. */
export function serveHost(options: HostOptions): ServedHost {
  const host = createHost(options);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const logged: string[] = [];
  const service = serveStdio({
    services: () => Promise.resolve(host),
    version: '1.2.3',
    input,
    output,
    log: (level, event, facts) => void logged.push(JSON.stringify({ level, event, ...facts })),
  });
  const waiting = new Map<string, (line: string) => void>();
  let rest = '';
  let heard: string[] = [];
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      heard.push(line);
      waiting.get((JSON.parse(line) as { id: string }).id)?.(line);
    }
  });
  input.write(`${JSON.stringify(hello)}\n`);
  let lastId = 0;
  async function callWith(name: string, json: string): Promise<Answer> {
    lastId += 1;
    const id = `r${lastId}`;
    const reply = new Promise<string>((resolve) => waiting.set(id, resolve));
    const params = `{"name":${JSON.stringify(name)},"arguments":${json}}`;
    input.write(`{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":${params}}\n`);
    return answerOf(await reply);
  }
  async function tell(text: string): Promise<readonly string[]> {
    lastId += 1;
    const id = `r${lastId}`;
    heard = [];
    const over = new Promise<string>((resolve) => waiting.set(id, resolve)).finally(() => waiting.delete(id));
    input.write(`${text}\n{"jsonrpc":"2.0","id":"${id}","method":"over"}\n`);
    await over;
    return heard.slice(0, -1);
  }
  return {
    call: (name, args = {}) => callWith(name, JSON.stringify(args)),
    callWith,
    tell,
    logged,
    async close() {
      input.end();
      await service.ended;
      await host.close();
    },
  };
}

interface Result {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Reads the reply to `tools/call`. */
export function answerOf(line: string): Answer {
  const { result = {} } = JSON.parse(line) as { readonly result?: Result };
  const { isError = false, content = [], _meta: meta = {} } = result;
  const text = content[0]?.text ?? '';
  const error = meta['workflowlookup/error'] as { readonly name: string } | undefined;
  const token = meta['session_token'];
  return {
    isError,
    text,
    json: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
    meta,
    token: typeof token === 'string' ? token : '',
    error: error?.name ?? '',
    raw: line,
  };
}
