import { openService } from '../support/service.ts';
import type { Outcome } from './outcome.ts';
import { outcomeOf, sendBytes } from './outcome.ts';
import type { Case, Row } from './row.ts';

const host = 'Host: 127.0.0.1\r\n';
const head = `POST /mcp HTTP/1.1\r\n${host}Content-Type: application/json\r\n`;
const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** A request hidden in the body of another one. It must not be answered. */
const hidden = `GET /healthz HTTP/1.1\r\n${host}\r\n`;

const sent = (what: string, bytes: string): Case => [what, () => sendBytes(bytes)];
const length = (what: string, field: string): Case =>
  sent(what, `${head}Content-Length: ${field}\r\n\r\n${body}`);
const coding = (what: string, fields: string): Case =>
  sent(what, `${head}${fields}\r\n\r\n0\r\n\r\n${hidden}`);
const chunks = (what: string, bytes: string): Case =>
  sent(what, `${head}Transfer-Encoding: chunked\r\n\r\n${bytes}`);

const times = {
  headersTimeout: 50,
  requestTimeout: 100,
  keepAliveTimeout: 100,
  connectionsCheckingInterval: 20,
};
const slow = (what: string, bytes: string): Case => [what, () => sendBytes(bytes, { times })];

const flags = ['--max-body-bytes', '1000'];

/** Sends a body in two pieces, without a `Content-Length`. */
async function streamed(): Promise<Outcome> {
  const pieces = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of [600, 600]) controller.enqueue(Buffer.alloc(piece, ' '));
      controller.close();
    },
  });
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: pieces, duplex: 'half' };
  return outcomeOf(openService(...flags).fetch('/mcp', init as RequestInit));
}

/** Malformed and oversized requests. */
export const byteRows: readonly Row[] = [
  {
    comes: 'a body over the limit',
    answered: '413',
    cases: [
      ['with a Content-Length', () => outcomeOf(openService(...flags).post('x'.repeat(1001)))],
      [
        'with a Content-Length, but not sent',
        () => sendBytes(`${head}Content-Length: 99999999\r\n\r\n{`, { flags }),
      ],
      ['without a Content-Length', streamed],
      [
        'with a long chunk extension',
        () => sendBytes(`${head}Transfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}\r\n{\r\n0\r\n\r\n`),
      ],
    ],
  },
  {
    comes: 'a body or headers that do not arrive completely',
    answered: '408',
    cases: [
      slow('headers', 'POST /mcp HTTP/1.1\r\nHost: 127'),
      slow('a body', `${head}Content-Length: 10\r\n\r\n{`),
      slow('a chunk', `${head}Transfer-Encoding: chunked\r\n\r\n10\r\n{`),
    ],
  },
  {
    comes:
      'two `Content-Length` values; `Content-Length` with chunks; an invalid length or chunk; an unknown, repeated or malformed `Transfer-Encoding`; folded headers; lines that end without CRLF; no `Host`',
    answered: '400, and the connection closes',
    cases: [
      length('two lengths', `${body.length}\r\nContent-Length: 3`),
      length('the same length twice', `${body.length}\r\nContent-Length: ${body.length}`),
      length('a list of lengths', `${body.length}, ${body.length}`),
      length('a length with a sign', `+${body.length}`),
      length('a negative length', '-1'),
      length('a length that is too large for a number', '99999999999999999999999'),
      coding('a length, then chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked'),
      coding('chunks, then a length', 'Transfer-Encoding: chunked\r\nContent-Length: 4'),
      coding('two codings', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity'),
      coding('chunks twice', 'Transfer-Encoding: chunked, chunked'),
      coding('chunks that are not last', 'Transfer-Encoding: chunked, identity'),
      coding('the coding identity and a length', 'Transfer-Encoding: identity\r\nContent-Length: 5'),
      coding('an unknown coding', 'Transfer-Encoding: xchunked'),
      coding('a coding with a space before the colon', 'Transfer-Encoding : chunked'),
      coding('a coding after a vertical tab', 'Transfer-Encoding:\x0bchunked'),
      coding('a coding in a folded header', 'Transfer-Encoding:\r\n chunked'),
      sent('a folded header', `${head}X-A: b\r\n c: d\r\nContent-Length: 0\r\n\r\n`),
      sent('headers that end with a line feed', `${head}X-A: b\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
      sent('a carriage return in a header', `${head}X-A: b\rContent-Length: 5\r\n\r\n`),
      sent('a zero byte in a header', `${head}X-A: b\0c\r\nContent-Length: 0\r\n\r\n`),
      chunks('a chunk with a length that is not a number', `zz\r\n{}\r\n0\r\n\r\n${hidden}`),
      chunks('a chunk with a negative length', `-2\r\n{}\r\n0\r\n\r\n${hidden}`),
      chunks(
        'a chunk with a length that is too large for a number',
        `ffffffffffffffff1\r\n{}\r\n0\r\n\r\n${hidden}`,
      ),
      chunks('a chunk that is longer than its length', `2\r\n{}XX\r\n0\r\n\r\n${hidden}`),
      chunks('chunks that end with a line feed', `2\n{}\n0\n\n${hidden}`),
      sent('no host', 'GET /healthz HTTP/1.1\r\n\r\n'),
      sent('another protocol', 'SSH-2.0-x\r\n\r\n'),
    ],
  },
  {
    comes: 'headers or a URL over 16 KB',
    answered: '431',
    cases: [
      sent('one header', `GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`),
      sent('many headers', `GET / HTTP/1.1\r\n${host}${'X-A: what nobody reads\r\n'.repeat(1000)}\r\n`),
      sent('a URL', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`),
    ],
  },
];
