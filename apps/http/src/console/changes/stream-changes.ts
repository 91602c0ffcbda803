import type { ChangeEvents, RunsChanged } from '@workflowlookup/console/contract';
import type { Operator, WorkflowChange } from '@workflowlookup/core';
import type { SSEStreamingApi } from 'hono/streaming';
import { runRow } from '../api/run-row.ts';
import type { Signed } from '../account/signed.ts';
import { seesAll } from '../account/signed.ts';
import { createAlarm } from '../../changes/alarm.ts';
import type { ChangeFeed } from '../../changes/change-feed.ts';
import type { Counts } from './counts.ts';
import { createPending, glancesOf } from './pending.ts';

/** What a stream of changes takes. */
export interface StreamParts {
  readonly feed: ChangeFeed;
  readonly operator: Operator;
  readonly counts: Counts;
  readonly signed: Signed;
  readonly version: string;
  watchWorkflows(listener: (change: WorkflowChange) => void): () => void;
  /** Whether they are signed in still. @throws STORAGE */
  isSignedIn(): Promise<boolean>;
  /** Fires when the server is on its way out. */
  readonly draining: AbortSignal;
}

/** A sign of life, so that proxies keep the connection and the one who left is noticed. */
const heartbeatMs = 15_000;
/** Events are told no more often. */
const restMs = 250;
/** Then the page opens a new one. */
const longestMs = 3_600_000;

/** Tells a page of changes until it leaves, the server ends, or it may no longer look. */
export async function streamChanges(stream: SSEStreamingApi, parts: StreamParts): Promise<void> {
  const { feed, operator, counts, signed, version, watchWorkflows, isSignedIn, draining } = parts;
  const pending = createPending();
  const workflows: WorkflowChange[] = [];
  const alarm = createAlarm();
  const endMs = performance.now() + longestMs;
  const send = <Name extends keyof ChangeEvents>(event: Name, data: ChangeEvents[Name]): Promise<void> =>
    stream.writeSSE({ event, data: JSON.stringify(data) });

  async function runsChanged(): Promise<RunsChanged | undefined> {
    const { changes, isMore } = pending.take();
    const all = await glancesOf(changes);
    const own = seesAll(signed)
      ? all
      : all.filter(({ session: { principal } }) => principal === signed.principal);
    if (own.length === 0 && !isMore) return undefined;
    return { runs: own.map(runRow), isMore, counts: await counts(signed, operator) };
  }

  async function tell(): Promise<void> {
    if (!pending.isEmpty) {
      const changed = await runsChanged();
      if (changed !== undefined) await send('runs', changed);
    }
    const [first, ...more] = workflows.splice(0);
    if (first !== undefined)
      await send('workflows', { ids: more.length === 0 || first === 'all' ? first : 'all' });
  }

  const stops = [
    await feed.listen((changes) => {
      pending.add(changes);
      alarm.goOff();
    }),
    watchWorkflows((change) => {
      workflows.push(change);
      alarm.goOff();
    }),
  ];
  stream.onAbort(alarm.goOff);
  draining.addEventListener('abort', alarm.goOff);
  if (draining.aborted) alarm.goOff();
  try {
    await send('hello', { version, counts: await counts(signed, operator) });
    while (!stream.aborted) {
      const isHeard = await alarm.wait(heartbeatMs);
      if (stream.aborted) return;
      if (draining.aborted) return await send('end', { reason: 'draining' });
      if (!(await isSignedIn())) return await send('end', { reason: 'signed-out' });
      if (performance.now() >= endMs || Date.now() >= signed.untilMs)
        return await send('end', { reason: 'limit' });
      if (isHeard) await tell();
      else await stream.write(': here\n\n');
      if (isHeard) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  } finally {
    draining.removeEventListener('abort', alarm.goOff);
    for (const stop of stops) stop();
  }
}
