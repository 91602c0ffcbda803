import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ConnectionTimes } from '../../src/create-service.ts';
import { listen } from '../../src/create-service.ts';
import { openService } from '../support/service.ts';

/** What an attempt was answered. */
export interface Outcome {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Reads a response to its end. */
export async function outcomeOf(response: Promise<Response> | Response): Promise<Outcome> {
  const answered = await response;
  return { status: answered.status, headers: answered.headers, text: await answered.text() };
}

/** How bytes are sent. */
interface BytesOptions {
  /** Of the server. */
  readonly flags?: readonly string[];
  readonly times?: ConnectionTimes;
}

/** Sends bytes as they are to the port of a new server. */
export async function sendBytes(bytes: string, { flags = [], times }: BytesOptions = {}): Promise<Outcome> {
  const { service } = openService(...flags);
  const server = await listen(service, { port: 0, address: '127.0.0.1', drainMs: 1000 }, times);
  onTestFinished(() => server.stop());
  return readOutcome(await answerTo(bytes, new URL(server.url)));
}

/** Everything the server says to these bytes. */
function answerTo(bytes: string, { port, hostname }: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => void socket.write(bytes, 'latin1'));
    let text = '';
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no end came after: ${text}`)));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      // Whatever else it has to say to what it got comes before it closes too.
      socket.end();
    });
    socket.on('error', reject).on('close', () => resolve(text));
  });
}

/** Reads what came as one response: a second one was smuggled. */
function readOutcome(text: string): Outcome {
  const answers = text.match(/HTTP\/1\.1 \d/g)?.length ?? 0;
  if (answers !== 1) throw new Error(`${answers} responses came: ${text}`);
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers(fields.map((field) => field.split(': ', 2) as [string, string]));
  return { status: Number(line.split(' ')[1]), headers, text: body };
}
