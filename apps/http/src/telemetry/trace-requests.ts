import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Context, Tracer } from '@opentelemetry/api';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Telemetry, TracedRequest } from './telemetry.ts';
import { contextInHeaders } from './trace-context.ts';

/** A span of a request: of the kind and with the attributes that OpenTelemetry gives HTTP servers. */
export function traceRequests(
  tracer: Tracer,
  ambient: AsyncLocalStorage<Context>,
): Telemetry['aroundRequest'] {
  return async (request, handle) => {
    const parent = contextInHeaders(request.headers);
    const options = { kind: SpanKind.SERVER, attributes: attributesOf(request) };
    const span = tracer.startSpan(nameOf(request), options, parent);
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

function nameOf({ method, route }: TracedRequest): string {
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
