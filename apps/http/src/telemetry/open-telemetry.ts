import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Context } from '@opentelemetry/api';
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Log } from '@workflowlookup/mcp';
import { reportingExporter } from './reporting-exporter.ts';
import type { Telemetry } from './telemetry.ts';
import { traceCalls } from './trace-calls.ts';
import { traceRequests } from './trace-requests.ts';
import { traceStore } from './trace-store.ts';

/** What telemetry needs to know; everything else the variables `OTEL_…` of the process say. */
export interface TelemetryOptions {
  /** Version of the package. */
  readonly version: string;
  /** Where sessions are kept. */
  readonly database: 'sqlite' | 'postgresql';
  readonly log: Log;
}

/** How long what was not sent yet may take at the end. */
const closeMs = 2_000;

/** Begins to trace: spans are sent in batches to a receiver of OTLP over HTTP, as JSON. */
export function openTelemetry({ version, database, log }: TelemetryOptions): Telemetry {
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
    const sending = provider.shutdown().then(
      () => true,
      // What could not be sent is in the log.
      () => true,
    );
    const isOver = await Promise.race([sending, setTimeout(closeMs, false, { ref: false })]);
    if (!isOver) log('warn', 'traces_lost', { reason: 'no time left' });
  }

  return {
    aroundRequest: traceRequests(tracer, ambient),
    traceId: () => trace.getSpanContext(ambient.getStore() ?? ROOT_CONTEXT)?.traceId,
    aroundCall: traceCalls(tracer, ambient),
    aroundStore: traceStore(tracer, ambient, database),
    close: () => (closing ??= close()),
  };
}
