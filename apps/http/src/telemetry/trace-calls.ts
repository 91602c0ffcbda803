import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, Link, SpanOptions, Tracer } from '@opentelemetry/api';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { BegunCall } from '@workflowlookup/mcp/http';
import type { Telemetry } from './telemetry.ts';
import { contextInMeta } from './trace-context.ts';

/**
 * A span of a call, as OpenTelemetry has it for MCP servers: the child of the span that `_meta` names, and then linked
 * to that of the request it came with, else the child of that.
 */
export function traceCalls(tracer: Tracer, ambient: AsyncLocalStorage<Context>): Telemetry['aroundCall'] {
  return async (call, run) => {
    const request = ambient.getStore() ?? ROOT_CONTEXT;
    const named = contextInMeta(call.meta);
    const parent = named ?? request;
    const options = { ...optionsOf(call), links: named === undefined ? [] : linkTo(request) };
    const span = tracer.startSpan(nameOf(call), options, parent);
    const { code } = await ambient.run(trace.setSpan(parent, span), run);
    if (code !== undefined) span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };
}

function linkTo(request: Context): Link[] {
  const context = trace.getSpanContext(request);
  return context === undefined ? [] : [{ context }];
}

function nameOf({ method, tool }: BegunCall): string {
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
