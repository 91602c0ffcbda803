import type { FinishedCall, HttpCounts } from '@workflowlookup/mcp/http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

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
  /** The page that is scraped. */
  page(): Promise<Response>;
}

const prefix = 'workflowlookup_';

/** Makes the counters of one server; `ofProcess` adds those of the process, event-loop lag among them. */
export function createMetrics(counts: () => HttpCounts, ofProcess: boolean): Metrics {
  const register = new Registry();
  const registers = [register];
  if (ofProcess) collectDefaultMetrics({ register });
  const counter = (name: string, help: string, labelNames: readonly string[] = []): Counter =>
    new Counter({ name: prefix + name, help, labelNames: [...labelNames], registers });
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name: prefix + name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });

  const requests = counter('http_requests_total', 'Requests answered', ['route', 'method', 'status']);
  const seconds = new Histogram({
    name: `${prefix}http_request_seconds`,
    help: 'Time until a response began',
    labelNames: ['route'],
    registers,
  });
  const calls = counter('tool_calls_total', 'Calls of tools', ['tool']);
  const refusals = counter('refusals_total', 'Calls of tools that failed, by the code of the failure', [
    'code',
  ]);
  const advances = counter('advances_total', 'Moves from one activity to the next or to the end');
  const conflicts = counter('conflicts_total', 'Writes that came second');
  const yielded = counter('checkpoints_yielded_total', 'Sessions stopped at a checkpoint');
  const answered = counter('checkpoints_answered_total', 'Checkpoints answered');
  const waits = counter('gate_waits_total', 'Calls that looked or waited for an answer', ['found']);
  gauge('sessions', 'Legacy MCP sessions that are live', () => counts().sessions);
  gauge('streams', 'Streams that clients read', () => counts().streams);

  const done: Readonly<Record<string, Counter>> = {
    next_activity: advances,
    yield_checkpoint: yielded,
    respond_checkpoint: answered,
  };

  return {
    onRequest({ route, method, status, seconds: taken }) {
      requests.inc({ route, method, status });
      seconds.observe({ route }, taken);
    },
    onCall({ tool, code }) {
      calls.inc({ tool });
      if (code !== undefined) refusals.inc({ code });
      else done[tool]?.inc();
      if (code === 'SESSION_CONFLICT') conflicts.inc();
      if (tool === 'resume_checkpoint') waits.inc({ found: code === undefined ? 'answer' : 'none' });
    },
    page: async () =>
      new Response(await register.metrics(), { headers: { 'content-type': register.contentType } }),
  };
}
