import type { MetricSeries } from './metric-series.ts';

/** What happened since the server started. */
export interface MetricSummary {
  /** Calls of tools that failed, by the code of the failure; most frequent first. */
  readonly refusals: readonly { readonly code: string; readonly count: number }[];
  /** How long responses took to begin, each time the upper bound of a bucket; absent above the highest. */
  readonly latency: readonly {
    readonly route: string;
    readonly count: number;
    readonly p50Ms?: number;
    readonly p95Ms?: number;
    readonly p99Ms?: number;
  }[];
}

/** A bucket of a histogram: so many were no longer than this. */
interface Bucket {
  readonly seconds: number;
  readonly count: number;
}

/** Reads from the series what a person wants to see first. */
export async function summarizeMetrics({
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
  const [p50Ms, p95Ms, p99Ms] = [0.5, 0.95, 0.99].map((share) => boundOf(buckets, share * count));
  return {
    count,
    ...(p50Ms !== undefined && { p50Ms }),
    ...(p95Ms !== undefined && { p95Ms }),
    ...(p99Ms !== undefined && { p99Ms }),
  };
}

function boundOf(buckets: readonly Bucket[], due: number): number | undefined {
  const seconds = buckets.find(({ count }) => count >= due)?.seconds;
  return seconds === undefined || seconds === Infinity ? undefined : Math.round(seconds * 1000);
}
