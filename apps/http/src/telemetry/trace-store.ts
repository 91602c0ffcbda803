import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { WorkflowError } from '@workflowlookup/schema';
import type { Telemetry } from './telemetry.ts';

type Method = (...args: readonly unknown[]) => unknown;

/** A span of each use of the database within a request; what the server does of its own accord has none. */
export function traceStore(
  tracer: Tracer,
  ambient: AsyncLocalStorage<Context>,
  database: string,
): Telemetry['aroundStore'] {
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
