import type { ExportResult } from '@opentelemetry/core';
import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Log } from '@workflowlookup/mcp';

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
