import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ConnectionTimes } from '../../src/app.ts';
import { listen } from '../../src/app.ts';
import { openService } from '../support/service.ts';

/** The response to an attempt. */
export interface Outcome {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Reads a complete response. */
export async function outcomeOf(response: Promise<Response> | Response): Promise<Outcome> {
  const answered = await response;
  return { status: answered.status, headers: answered.headers, text: await answered.text() };
}

interface BytesOptions {
  /** Flags of the server. */
  readonly flags?: readonly string[];
  readonly times?: ConnectionTimes;
}

/** Sends these exact bytes to the port of a new server. */
export async function sendBytes(bytes: string, { flags = [], times }: BytesOptions = {}): Promise<Outcome> {
  const { service } = openService(...flags);
  const server = await listen(service, { port: 0, address: '127.0.0.1', drainMs: 1000 }, times);
  onTestFinished(() => server.stop());
  return readOutcome(await answerTo(bytes, new URL(server.url)));
}

/** Returns everything that the server sends until it closes the connection. */
function answerTo(bytes: string, { port, hostname }: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => void socket.write(bytes, 'latin1'));
    let text = '';
    socket.setTimeout(10_000, () =>
      socket.destroy(new Error(`the server did not close the connection after: ${text}`)),
    );
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      // The server sends any further responses before it closes the connection.
      socket.end();
    });
    socket.on('error', reject).on('close', () => resolve(text));
  });
}

/** Parses the text as one response. @throws if there is a second one, because then a request was smuggled */
function readOutcome(text: string): Outcome {
  const answers = text.match(/HTTP\/1\.1 \d/g)?.length ?? 0;
  if (answers !== 1) throw new Error(`expected one response, but got ${answers}: ${text}`);
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers(fields.map((field) => field.split(': ', 2) as [string, string]));
  return { status: Number(line.split(' ')[1]), headers, text: body };
}
