import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Context, Link, Span, SpanOptions, TextMapGetter, Tracer } from '@opentelemetry/api';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { BegunCall } from '@workflowlookup/mcp/http';
import { WorkflowError } from '@workflowlookup/schema';
import type { Telemetry, TracedRequest } from './telemetry.ts';

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

/** The trace that headers of a request name (W3C Trace Context); none where they name none, or it is not well-formed. */
function contextInHeaders(headers: Headers): Context {
  return propagator.extract(ROOT_CONTEXT, headers, inHeaders);
}

/**
 * The trace that `_meta` of an MCP request names by the same keys; `undefined` where it names none, or it is not
 * well-formed.
 */
function contextInMeta(meta: unknown): Context | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined;
  const found = propagator.extract(ROOT_CONTEXT, meta, inMeta);
  return trace.getSpanContext(found) === undefined ? undefined : found;
}

/** A span of a request: of the kind and with the attributes that OpenTelemetry gives HTTP servers. */
export function traceRequests(
  tracer: Tracer,
  ambient: AsyncLocalStorage<Context>,
): Telemetry['aroundRequest'] {
  return async (request, handle) => {
    const parent = contextInHeaders(request.headers);
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

/** Neither the query nor an unknown path or host: whoever sends them decides what is in there. */
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
 * A span of a call, as OpenTelemetry has it for MCP servers: the child of the span that `_meta` names, and then linked
 * to that of the request it came with, else the child of that.
 */
export function traceCalls(tracer: Tracer, ambient: AsyncLocalStorage<Context>): Telemetry['wrapCall'] {
  return async (call, run) => {
    const request = ambient.getStore() ?? ROOT_CONTEXT;
    const named = contextInMeta(call.meta);
    const parent = named ?? request;
    const options = { ...optionsOf(call), links: named === undefined ? [] : linkTo(request) };
    const span = tracer.startSpan(callSpanName(call), options, parent);
    const { code } = await ambient.run(trace.setSpan(parent, span), run);
    if (code !== undefined) span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };
}

function linkTo(request: Context): Link[] {
  const context = trace.getSpanContext(request);
  return context === undefined ? [] : [{ context }];
}

function callSpanName({ method, tool }: BegunCall): string {
  return method === tool ? tool : `${method} ${tool}`;
}

function optionsOf({ method, tool }: BegunCall): SpanOptions {
  return {
    kind: SpanKind.SERVER,
    attributes: {
      'mcp.method.name': method,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'network.protocol.name': 'http',
      'network.transport': 'tcp',
    },
  };
}

type Method = (...args: readonly unknown[]) => unknown;

/** A span of each use of the database within a request; what the server does of its own accord has none. */
export function traceStore(
  tracer: Tracer,
  ambient: AsyncLocalStorage<Context>,
  database: string,
): Telemetry['wrapStore'] {
  const traced =
    (name: string, part: string, method: Method): Method =>
    (...args) => {
      const parent = ambient.getStore() ?? ROOT_CONTEXT;
      // Also what goes on after the call it began in is nobody's.
      if (trace.getSpan(parent)?.isRecording() !== true) return method(...args);
      const attributes = { 'db.system.name': database, 'db.operation.name': name };
      const span = tracer.startSpan(`${name} ${part}`, { kind: SpanKind.CLIENT, attributes }, parent);
      const result = ambient.run(trace.setSpan(parent, span), () => method(...args));
      // What answers at once did not use the database: its span is never ended, and so not sent.
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
