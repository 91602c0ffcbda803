import type { WrittenEvent } from '@workflowlookup/core';
import type { FinishedCall } from '@workflowlookup/mcp/http';
import type { Counter } from 'prom-client';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Measured } from './metric-series.ts';
import { createMetricSeries } from './metric-series.ts';
import type { MetricSummary } from './metric-summary.ts';
import { summarizeMetrics } from './metric-summary.ts';

/** A request that was answered. */
interface FinishedRequest {
  /** One of the routes of the app. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

/** What is counted for Prometheus. */
export interface Metrics {
  onRequest(request: FinishedRequest): void;
  onCall(call: FinishedCall): void;
  onWrite(written: WrittenEvent): void;
  /** The page that is scraped. */
  page(): Promise<Response>;
  /** What of it a person wants to see first. */
  summary(): Promise<MetricSummary>;
}

/** Counts for one server; `ofProcess` adds the metrics of the process, event-loop lag among them. */
export function createMetrics(measured: Measured, ofProcess: boolean): Metrics {
  const registry = new Registry();
  if (ofProcess) collectDefaultMetrics({ register: registry });
  const series = createMetricSeries(registry, measured);
  const ofEvent: Readonly<Record<WrittenEvent['type'], Counter | undefined>> = {
    'session-started': undefined,
    'activity-entered': series.advances,
    'session-completed': series.advances,
    'checkpoint-yielded': series.yielded,
    'checkpoint-answered': series.answered,
  };

  return {
    onRequest({ route, method, status, seconds }) {
      series.requests.inc({ route, method, status });
      series.requestSeconds.observe({ route }, seconds);
    },
    onCall({ tool, code }) {
      series.calls.inc({ tool });
      if (code !== undefined) series.refusals.inc({ code });
      if (code === 'SESSION_CONFLICT') series.conflicts.inc();
      if (tool === 'resume_checkpoint') series.waits.inc({ found: code === undefined ? 'answer' : 'none' });
    },
    onWrite({ type, waitedMs }) {
      ofEvent[type]?.inc();
      if (waitedMs !== undefined) series.waitSeconds.observe(waitedMs / 1000);
    },
    summary: () => summarizeMetrics(series),
    page: async () =>
      new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } }),
  };
}
