import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Context } from '@opentelemetry/api';
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { ExportResult } from '@opentelemetry/core';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Log } from '@workflowlookup/mcp';
import type { Telemetry } from './telemetry.ts';
import { traceCalls, traceRequests, traceStore } from './traces.ts';

/** How often a receiver that takes nothing is worth a line. */
const pauseMs = 60_000;

/** Tells the log where spans can't be sent: how many were lost since it was told last, and why the last ones were. */
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

/** A code alone where there is one: what a receiver says in words is its own. */
function reasonOf(error: (Error & { code?: string | number }) | undefined): string {
  return String(error?.code ?? error?.message ?? 'unknown');
}

/** What telemetry needs to know; everything else the variables `OTEL_…` of the process say. */
export interface TelemetryOptions {
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
    wrapCall: traceCalls(tracer, ambient),
    wrapStore: traceStore(tracer, ambient, database),
    close: () => (closing ??= close()),
  };
}
