import type { Context, TextMapGetter } from '@opentelemetry/api';
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

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
export function contextInHeaders(headers: Headers): Context {
  return propagator.extract(ROOT_CONTEXT, headers, inHeaders);
}

/**
 * The trace that `_meta` of an MCP request names by the same keys; `undefined` where it names none, or it is not
 * well-formed.
 */
export function contextInMeta(meta: unknown): Context | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined;
  const found = propagator.extract(ROOT_CONTEXT, meta, inMeta);
  return trace.getSpanContext(found) === undefined ? undefined : found;
}
