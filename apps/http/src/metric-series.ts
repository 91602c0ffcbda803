import type { SessionCounts } from '@workflowlookup/core';
import type { HttpCounts } from '@workflowlookup/mcp/http';
import type { Registry } from 'prom-client';
import { Counter, Gauge, Histogram } from 'prom-client';

/** What is looked at when the series are read. */
export interface Measured {
  counts(): HttpCounts;
  isDatabaseFailing(): boolean;
  isAuditFailing(): boolean;
  /** `undefined` where it can't be told. */
  workflowSessions(): Promise<SessionCounts | undefined>;
}

/** Series that grow with what happens. */
export interface MetricSeries {
  readonly requests: Counter;
  readonly requestSeconds: Histogram;
  readonly calls: Counter;
  readonly refusals: Counter;
  readonly conflicts: Counter;
  readonly advances: Counter;
  readonly yielded: Counter;
  readonly answered: Counter;
  readonly waitSeconds: Histogram;
  readonly waits: Counter;
}

const prefix = 'workflowlookup_';

/** How long a checkpoint may wait, in seconds: a machine answers in some, a person takes up to days. */
const waitBuckets = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 604_800];

/**
 * Makes the series of one server.
 *
 * @see docs/operations.md#metrics
 */
export function createMetricSeries(registry: Registry, measured: Measured): MetricSeries {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: readonly string[] = []): Counter =>
    new Counter({ name: prefix + name, help, labelNames: [...labelNames], registers });
  addGauges(registers, measured);
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

function addGauges(registers: Registry[], measured: Measured): void {
  const { counts, workflowSessions } = measured;
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
}
