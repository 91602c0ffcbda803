import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, Tracer } from '@opentelemetry/api';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { WorkflowError } from '@workflowlookup/schema';
import type { Telemetry } from './telemetry.ts';

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** A span of each use of the database within a request; what the server does of its own accord has none. */
export function traceStore(
  tracer: Tracer,
  ambient: AsyncLocalStorage<Context>,
  database: string,
): Telemetry['aroundStore'] {
  function traced(name: string, method: Method): Method {
    const attributes = { 'db.system.name': database, 'db.operation.name': name };
    const options = { kind: SpanKind.CLIENT, attributes };
    return async (...args) => {
      const parent = ambient.getStore() ?? ROOT_CONTEXT;
      // Also what goes on after the call it began in is nobody's.
      if (trace.getSpan(parent)?.isRecording() !== true) return method(...args);
      const span = tracer.startSpan(`${name} sessions`, options, parent);
      try {
        return await ambient.run(trace.setSpan(parent, span), () => method(...args));
      } catch (error) {
        const code = error instanceof WorkflowError ? error.code : 'INTERNAL';
        span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    };
  }

  return <Store extends object>(store: Store): Store => {
    const members = Object.entries(store).map(([name, member]) => [
      name,
      typeof member === 'function' ? traced(name, member as Method) : member,
    ]);
    return Object.fromEntries(members) as Store;
  };
}
