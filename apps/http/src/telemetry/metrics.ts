import type { ConsoleHealth } from '@workflowlookup/console/contract';
import type { SessionCounts } from '@workflowlookup/core/operator';
import type { WrittenEvent } from '@workflowlookup/core/sessions';
import type { FinishedCall, HttpCounts } from '@workflowlookup/mcp/http';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** The sources of the metrics. */
interface Measured {
  counts(): HttpCounts;
  isDatabaseFailing(): boolean;
  isAuditFailing(): boolean;
  /** Returns `undefined` if the sessions can't be counted. */
  workflowSessions(): Promise<SessionCounts | undefined>;
  /** What the hooks of agents on this machine did. */
  hookActs(): readonly { readonly rule: string; readonly act: string }[];
}

const prefix = 'workflowlookup_';

/** Buckets for the time that a checkpoint waits, in seconds: a machine answers within seconds, a person within days. */
const waitBuckets = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 604_800];

type MetricSeries = ReturnType<typeof createMetricSeries>;

/** Creates the counters and histograms that calls update. */
function createMetricSeries(registry: Registry) {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: readonly string[] = []): Counter =>
    new Counter({ name: prefix + name, help, labelNames: [...labelNames], registers });
  return {
    requests: counter('http_requests_total', 'Requests answered', ['route', 'method', 'status']),
    requestSeconds: new Histogram({
      name: `${prefix}http_request_seconds`,
      help: 'Time until a response began',
      labelNames: ['route'],
      registers,
    }),
    calls: counter('tool_calls_total', 'Calls of tools', ['tool']),
    refusals: counter('refusals_total', 'Calls of tools that failed, by the code of the failure', ['code']),
    conflicts: counter('conflicts_total', 'Writes that came second'),
    advances: counter('advances_total', 'Moves from one activity to the next or to the end'),
    yielded: counter('checkpoints_yielded_total', 'Sessions stopped at a checkpoint'),
    answered: counter('checkpoints_answered_total', 'Checkpoints answered'),
    waitSeconds: new Histogram({
      name: `${prefix}checkpoint_wait_seconds`,
      help: 'Time from the stop at a checkpoint to its answer',
      buckets: waitBuckets,
      registers,
    }),
    waits: counter('gate_waits_total', 'Calls that looked or waited for an answer', ['found']),
  };
}

function addGauges(registry: Registry, measured: Measured): void {
  const registers = [registry];
  const { counts, workflowSessions, hookActs } = measured;
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name: prefix + name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge('sessions', 'Legacy MCP sessions that are live', () => counts().sessions);
  gauge('streams', 'Streams that clients read', () => counts().streams);
  gauge('database_failing', 'Whether the database takes no writes or does not answer', () =>
    Number(measured.isDatabaseFailing()),
  );
  gauge('audit_failing', 'Whether entries of the audit log are lost', () =>
    Number(measured.isAuditFailing()),
  );
  const byStatus = new Gauge({
    name: `${prefix}workflow_sessions`,
    help: 'Workflow sessions in the database',
    labelNames: ['status'],
    registers,
    async collect() {
      const found = await workflowSessions();
      byStatus.reset();
      for (const [status, count] of Object.entries(found ?? {})) byStatus.set({ status }, count);
    },
  });
  const byRule = new Gauge({
    name: `${prefix}hook_acts`,
    help: 'What hooks of agents on this machine did, as far as it is kept',
    labelNames: ['rule', 'act'],
    registers,
    collect() {
      byRule.reset();
      for (const { rule, act } of hookActs()) byRule.inc({ rule, act });
    },
  });
}

/** What happened since the server started. */
type MetricSummary = Pick<ConsoleHealth, 'refusals' | 'latency'>;

/** A bucket of a histogram: the number of requests that took at most this long. */
interface Bucket {
  readonly seconds: number;
  readonly count: number;
}

/** Reads from the series what a person wants to see first. */
async function summarizeMetrics({
  refusals,
  requestSeconds,
}: Pick<MetricSeries, 'refusals' | 'requestSeconds'>): Promise<MetricSummary> {
  const refused = (await refusals.get()).values.map(({ labels, value }) => ({
    code: String(labels['code']),
    count: value,
  }));
  const byRoute = new Map<string, Bucket[]>();
  for (const { labels, value: count, metricName = '' } of (await requestSeconds.get()).values) {
    const { route, le } = labels as { readonly route?: unknown; readonly le?: unknown };
    if (!metricName.endsWith('_bucket')) continue;
    const buckets = byRoute.get(String(route)) ?? [];
    byRoute.set(String(route), [...buckets, { seconds: le === '+Inf' ? Infinity : Number(le), count }]);
  }
  return {
    refusals: refused.toSorted((a, b) => b.count - a.count),
    latency: Array.from(byRoute, ([route, buckets]) => ({ route, ...latencyOf(buckets) })),
  };
}

function latencyOf(buckets: readonly Bucket[]): Omit<MetricSummary['latency'][number], 'route'> {
  const count = buckets.at(-1)?.count ?? 0;
  const bounds = (
    [
      ['p50Ms', 0.5],
      ['p95Ms', 0.95],
      ['p99Ms', 0.99],
    ] as const
  ).flatMap(([name, share]) => {
    const { seconds = Infinity } = buckets.find((bucket) => bucket.count >= share * count) ?? {};
    return seconds === Infinity ? [] : [[name, Math.round(seconds * 1000)]];
  });
  return { count, ...Object.fromEntries(bounds) };
}

export interface Metrics {
  onRequest(request: {
    readonly route: string;
    readonly method: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  onCall(call: FinishedCall): void;
  onWrite(written: WrittenEvent): void;
  page(): Promise<Response>;
  /** The figures that a person wants to see first. */
  summary(): Promise<MetricSummary>;
}

/**
 * Counts for one server; `ofProcess` adds the metrics of the process, event-loop lag among them.
 *
 * @see docs/operations.md#metrics
 */
export function createMetrics(measured: Measured, ofProcess: boolean): Metrics {
  const registry = new Registry();
  if (ofProcess) collectDefaultMetrics({ register: registry });
  addGauges(registry, measured);
  const series = createMetricSeries(registry);
  const ofEvent: Readonly<Record<WrittenEvent['type'], Counter | undefined>> = {
    'session-started': undefined,
    'activity-entered': series.advances,
    'session-completed': series.advances,
    'evidence-collected': undefined,
    'checkpoint-yielded': series.yielded,
    'checkpoint-answered': series.answered,
    'session-parked': undefined,
    'session-resumed': undefined,
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
