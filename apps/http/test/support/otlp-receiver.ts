import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A span that the receiver got. */
export interface ReceivedSpan {
  readonly name: string;
  /** 2 for a server, 3 for a client. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 for an error. */
  readonly status: { readonly code: number };
}

/** A receiver of OTLP over HTTP. */
export interface Receiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Attributes of the process that sent the spans. */
  readonly resource: Readonly<Record<string, unknown>>;
  /** The bodies of all requests. */
  readonly bytes: string;
  readonly headers: readonly IncomingHttpHeaders[];
}

/**
 * Opens a receiver that is closed after the test. It answers with this status, or with `nothing` keeps the request
 * open.
 */
export async function openReceiver(answer: 'ok' | 'nothing' | number = 'ok'): Promise<Receiver> {
  const received = {
    spans: [] as ReceivedSpan[],
    resource: {},
    bytes: '',
    headers: [] as IncomingHttpHeaders[],
  };
  function take(body: string): void {
    received.bytes += body;
    const { resourceSpans } = JSON.parse(body) as Export;
    for (const { resource, scopeSpans } of resourceSpans) {
      received.resource = recordOf(resource.attributes);
      received.spans.push(...scopeSpans.flatMap(({ spans }) => spans.map(spanOf)));
    }
  }
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    received.headers.push(request.headers);
    take(await text(request));
    if (answer === 'nothing') return;
    response.writeHead(answer === 'ok' ? 200 : answer, { 'content-type': 'application/json' }).end('{}');
  }
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(received, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

type WireSpan = Omit<ReceivedSpan, 'attributes' | 'links'> & {
  readonly attributes: Attributes;
  readonly links?: ReceivedSpan['links'];
};

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

function spanOf({ attributes, links = [], ...span }: WireSpan): ReceivedSpan {
  return { ...span, links, attributes: recordOf(attributes) };
}

function recordOf(attributes: Attributes): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
