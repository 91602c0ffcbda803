import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Attributes, Context, Link, Span, TextMapGetter, Tracer } from '@opentelemetry/api';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ExportResult } from '@opentelemetry/core';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { HostOptions } from '@workflowlookup/host';
import type { Log } from '@workflowlookup/mcp';
import type { CallWatchers } from '@workflowlookup/mcp/http';
import { WorkflowError } from '@workflowlookup/schema';

export interface TracedRequest {
  readonly method: string;
  readonly route: string;
  readonly url: URL;
  /** Whether the server accepts the host of that address. */
  readonly isKnownHost: boolean;
  /** The headers of the request, which may continue a trace of the sender. */
  readonly headers: Headers;
}

/** Traces the work of a server and sends the spans to a receiver. Requests never wait for the sending. */
export interface Telemetry extends Required<Pick<CallWatchers, 'wrapCall'> & Pick<HostOptions, 'wrapStore'>> {
  aroundRequest(request: TracedRequest, handle: () => Promise<Response>): Promise<Response>;
  /** The trace of the request that is handled now. */
  traceId(): string | undefined;
  /** Sends the remaining spans, for a limited time. */
  close(): Promise<void>;
}

/** The shortest time between two log entries about a failing receiver. */
const pauseMs = 60_000;

/** Wraps an exporter and logs failures: how many spans were lost since the last entry, and the latest reason. */
export function reportingExporter(
  exporter: SpanExporter,
  log: Log,
  now: () => number = () => performance.now(),
): SpanExporter {
  let lost = 0;
  let quietUntilMs = -Infinity;

  function report(spans: number, { error }: ExportResult): void {
    lost += spans;
    if (now() < quietUntilMs) return;
    log('warn', 'traces_lost', { spans: lost, reason: reasonOf(error) });
    lost = 0;
    quietUntilMs = now() + pauseMs;
  }

  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED) report(spans.length, result);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** Returns the code of an error if it has one, because a receiver's own words don't belong in the log. */
function reasonOf(error: (Error & { code?: string | number }) | undefined): string {
  return String(error?.code ?? error?.message ?? 'unknown');
}

/** How long sending the remaining spans may take when the server stops. */
const closeMs = 2_000;

/**
 * Starts tracing. Spans are sent in batches as JSON, by OTLP over HTTP. Everything else comes from the variables `OTEL_…`.
 */
export function openTelemetry({
  version,
  database,
  log,
}: {
  readonly version: string;
  /** Where sessions are kept. */
  readonly database: 'sqlite' | 'postgresql';
  readonly log: Log;
}): Telemetry {
  const own = resourceFromAttributes({
    'service.name': 'workflowlookup-http',
    'service.version': version,
    'service.instance.id': randomUUID(),
  });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(reportingExporter(new OTLPTraceExporter(), log))],
  });
  const tracer = provider.getTracer('workflowlookup', version);
  const ambient = new AsyncLocalStorage<Context>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    const late = setTimeout(closeMs, 'late', { ref: false });
    // The exporter has already logged a failure.
    const first = await Promise.race([provider.shutdown().catch(() => undefined), late]);
    if (first === 'late') log('warn', 'traces_lost', { reason: 'no time left' });
  }

  return {
    aroundRequest: traceRequests(tracer, ambient),
    traceId: () => trace.getSpanContext(ambient.getStore() ?? ROOT_CONTEXT)?.traceId,
    wrapCall: traceCalls(tracer, ambient),
    wrapStore: traceStore(tracer, ambient, database),
    close: () => (closing ??= close()),
  };
}

const propagator = new W3CTraceContextPropagator();

const inHeaders: TextMapGetter<Headers> = {
  keys: (headers) => [...headers.keys()],
  get: (headers, name) => headers.get(name) ?? undefined,
};

const inMeta: TextMapGetter<object> = {
  keys: (meta) => Object.keys(meta),
  get(meta, name) {
    const value: unknown = Reflect.get(meta, name);
    return typeof value === 'string' ? value : undefined;
  },
};

/**
 * Returns the trace context from the `_meta` of an MCP request, which uses the same keys; `undefined` if it is missing
 * or malformed.
 */
function contextInMeta(meta: unknown): Context | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined;
  const found = propagator.extract(ROOT_CONTEXT, meta, inMeta);
  return trace.getSpanContext(found) === undefined ? undefined : found;
}

/** Creates a span for each request, by the OpenTelemetry conventions for HTTP servers. */
function traceRequests(tracer: Tracer, ambient: AsyncLocalStorage<Context>): Telemetry['aroundRequest'] {
  return async (request, handle) => {
    // Missing or malformed headers give an empty context.
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, inHeaders);
    const options = { kind: SpanKind.SERVER, attributes: attributesOf(request) };
    const span = tracer.startSpan(requestSpanName(request), options, parent);
    try {
      const response = await ambient.run(trace.setSpan(parent, span), handle);
      const { status } = response;
      span.setAttribute('http.response.status_code', status);
      if (status >= 500)
        span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR });
      return response;
    } finally {
      span.end();
    }
  };
}

function requestSpanName({ method, route }: TracedRequest): string {
  const verb = method === 'other' ? 'HTTP' : method;
  return route === 'other' ? verb : `${verb} ${route}`;
}

/**
 * Returns the attributes of a span. The query and unknown paths and hosts are left out, because the sender can write
 * anything there.
 */
function attributesOf({ method, route, url, isKnownHost }: TracedRequest): Attributes {
  return {
    'http.request.method': method === 'other' ? '_OTHER' : method,
    ...(route === 'other' ? {} : { 'http.route': route, 'url.path': route }),
    'url.scheme': url.protocol.slice(0, -1),
    ...(isKnownHost && { 'server.address': url.hostname }),
    ...(isKnownHost && url.port !== '' && { 'server.port': Number(url.port) }),
  };
}

/**
 * Creates a span for each call, by the OpenTelemetry conventions for MCP servers. If `_meta` names a parent span, the
 * call's span becomes its child and links to the span of the HTTP request; otherwise it is a child of the request's
 * span.
 */
function traceCalls(tracer: Tracer, ambient: AsyncLocalStorage<Context>): Telemetry['wrapCall'] {
  return async (call, run) => {
    const request = ambient.getStore() ?? ROOT_CONTEXT;
    const named = contextInMeta(call.meta);
    const parent = named ?? request;
    const { method, tool } = call;
    const name = method === tool ? tool : `${method} ${tool}`;
    const options = {
      kind: SpanKind.SERVER,
      attributes: {
        'mcp.method.name': method,
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'network.protocol.name': 'http',
        'network.transport': 'tcp',
      },
      links: named === undefined ? [] : linkTo(request),
    };
    const span = tracer.startSpan(name, options, parent);
    const { code } = await ambient.run(trace.setSpan(parent, span), run);
    if (code !== undefined) span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };
}

function linkTo(request: Context): Link[] {
  const context = trace.getSpanContext(request);
  return context === undefined ? [] : [{ context }];
}

type Method = (...args: readonly unknown[]) => unknown;

/** Creates a span for each use of the database within a request. Background work of the server has no spans. */
function traceStore(
  tracer: Tracer,
  ambient: AsyncLocalStorage<Context>,
  database: string,
): Telemetry['wrapStore'] {
  const traced =
    (name: string, part: string, method: Method): Method =>
    (...args) => {
      const parent = ambient.getStore() ?? ROOT_CONTEXT;
      // Work that continues after its call has ended belongs to no request.
      if (trace.getSpan(parent)?.isRecording() !== true) return method(...args);
      const attributes = { 'db.system.name': database, 'db.operation.name': name };
      const span = tracer.startSpan(`${name} ${part}`, { kind: SpanKind.CLIENT, attributes }, parent);
      const result = ambient.run(trace.setSpan(parent, span), () => method(...args));
      // A method that returns at once did not use the database. Its span is never ended, so it is not sent.
      return result instanceof Promise ? ended(span, result) : result;
    };

  function around<Part extends object>(part: Part, partName: string): Part {
    const members = Object.entries(part).map(([name, member]: [string, unknown]) => {
      if (typeof member === 'function') return [name, traced(name, partName, member as Method)];
      return [name, typeof member === 'object' && member !== null ? around(member, name) : member];
    });
    return Object.fromEntries(members) as Part;
  }

  return (store) => around(store, 'sessions');
}

async function ended(span: Span, result: Promise<unknown>): Promise<unknown> {
  try {
    return await result;
  } catch (error) {
    const code = error instanceof WorkflowError ? error.code : 'INTERNAL';
    span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
