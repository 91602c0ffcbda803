import type { ChangeEvents } from '@workflowlookup/console/contract';
import type { WorkflowChange } from '@workflowlookup/core';
import type { SessionSummary, Operator, SessionCounts } from '@workflowlookup/core/operator';
import { describeError } from '@workflowlookup/mcp';
import type { Hono } from 'hono';
import type { SSEStreamingApi } from 'hono/streaming';
import { streamSSE } from 'hono/streaming';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { shareOf } from '../auth/authentication.ts';
import type { ChangeFeed, Changed } from '../change-feed.ts';
import { createAlarm } from '../change-feed.ts';
import { createShare } from '../guards.ts';
import type { Accounts, SignedInUser } from './account/accounts.ts';
import { seesAll } from './account/accounts.ts';
import { holderOf } from './account/session-token.ts';
import { sessionRow } from './api/session-routes.ts';
import type { ConsoleEnv, ConsoleParts, UserRequest } from './requests.ts';
import { answerTooMany, readQuery, routes } from './requests.ts';

type Counts = (signed: SignedInUser, operator: Pick<Operator, 'counts'>) => Promise<SessionCounts>;

/**
 * Returns a function that counts sessions. It queries the database once for each principal and change, however many
 * pages show the counts.
 */
function createCounts(feed: Pick<ChangeFeed, 'told'>): Counts {
  const kept = new Map<string, Promise<SessionCounts>>();
  let at = -1;
  return (signed, operator) => {
    const told = feed.told();
    if (told !== at) kept.clear();
    at = told;
    const key = seesAll(signed) ? '' : signed.principal;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const counts = operator.counts();
    kept.set(key, counts);
    counts.catch(() => kept.delete(key));
    return counts;
  };
}

/** How many changes one event may list. If more are pending, the page only learns that there are more. */
const most = 50;

/** Returns the summaries of the changed sessions. It leaves out damaged sessions, which the list of sessions reports. */
async function summariesOf(changes: readonly Changed[]): Promise<readonly SessionSummary[]> {
  const found = await Promise.all(changes.map((change) => change.summary().catch(() => undefined)));
  return found.filter((one) => one !== undefined);
}

interface StreamParts extends ConsoleParts {
  readonly accounts: Accounts;
  readonly counts: Counts;
  /** Aborted when the server shuts down. */
  readonly draining: AbortSignal;
}

/** The clocks of the servers that write to one database may differ by this much. */
const clockMarginMs = 2_000;
/** A comment is sent this often, so that proxies keep the connection and a closed one is noticed. */
const heartbeatMs = 15_000;
/** The shortest time between two events. */
const restMs = 250;
/** How long a stream lasts. Then the page opens a new one. */
const longestMs = 3_600_000;

/**
 * Sends changes to a page until the page is closed, the server stops, or the user is no longer signed in. It begins with
 * the changes of the last `missedMs` milliseconds.
 */
async function streamChanges(
  stream: SSEStreamingApi,
  { context, operator, signed }: UserRequest,
  missedMs: number,
  { feed, host, version, accounts, counts, draining }: StreamParts,
): Promise<void> {
  // Changes that were not yet sent. Each session is in it once, however often it was written to.
  const pending = new LRUCache<string, Changed>({ max: most + 1 });
  const workflows: WorkflowChange[] = [];
  const alarm = createAlarm();
  const endMs = performance.now() + longestMs;
  const send = <Name extends keyof ChangeEvents>(event: Name, data: ChangeEvents[Name]): Promise<void> =>
    stream.writeSSE({ event, data: JSON.stringify(data) });

  async function addMissed(): Promise<void> {
    const updatedSince = new Date(Date.now() - missedMs - clockMarginMs).toISOString();
    const { sessions } = await operator.find({ updatedSince }, { limit: most + 1 });
    add(
      sessions
        .toReversed()
        .map(({ sid }) => ({ sid, events: [], summary: async () => operator.summary(sid) })),
    );
  }

  function add(changes: readonly Changed[]): void {
    for (const change of changes) pending.set(change.sid, change);
    alarm.goOff();
  }

  async function tell(): Promise<void> {
    // The latest change comes first.
    const changes = [...pending.values()];
    pending.clear();
    const isMore = changes.length > most;
    const all = await summariesOf(changes.slice(0, most));
    const own = seesAll(signed)
      ? all
      : all.filter(({ session: { principal } }) => principal === signed.principal);
    if (own.length > 0 || isMore)
      await send('sessions', {
        sessions: own.map(sessionRow),
        isMore,
        counts: await counts(signed, operator),
      });
    const [first, ...more] = workflows.splice(0);
    if (first !== undefined)
      await send('workflows', { ids: more.length === 0 || first === 'all' ? first : 'all' });
  }

  const stops = [
    await feed.listen(add),
    host.engine.watch((change) => {
      workflows.push(change);
      alarm.goOff();
    }),
  ];
  stream.onAbort(alarm.goOff);
  draining.addEventListener('abort', alarm.goOff);
  if (draining.aborted) alarm.goOff();
  try {
    if (missedMs > 0) await addMissed();
    await send('hello', { version, counts: await counts(signed, operator) });
    while (!stream.aborted) {
      const isHeard = await alarm.wait(heartbeatMs);
      if (stream.aborted) return;
      if (draining.aborted) return await send('end', { reason: 'draining' });
      if ((await holderOf(context, accounts))?.id !== signed.id)
        return await send('end', { reason: 'signed-out' });
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

/** The maximum number of streams of one principal. Each open page reads one. */
const mostOfEach = 64;

const changesQuery = z.strictObject({ missedMs: z.coerce.number().int().min(0).max(600_000).default(0) });

/** Returns the routes of the change stream, and a function that ends its streams. */
export function changesRoutes(
  parts: ConsoleParts,
  accounts: Accounts,
): { readonly routes: Hono<ConsoleEnv>; drain(): void } {
  const { feed, network, log } = parts;
  const counts = createCounts(feed);
  const draining = new AbortController();
  const all = createShare(network.maxStreams);
  const ofEach = createShare(Math.min(mostOfEach, shareOf(network, network.maxStreams)));

  /** Opens a stream, which counts against the limits until it ends. Returns `undefined` if a limit is reached. */
  function open(request: UserRequest): Response | undefined {
    const { context, signed } = request;
    const { missedMs } = readQuery(context, changesQuery);
    let response: Response | undefined;
    const counted = (): Promise<void> =>
      new Promise((ended) => {
        // Without this header, proxies that buffer whole responses would hold back the events.
        context.header('x-accel-buffering', 'no');
        response = streamSSE(context, (stream) =>
          streamChanges(stream, request, missedMs, { ...parts, accounts, counts, draining: draining.signal })
            .catch((error: unknown) => log('error', 'failure', describeError(error)))
            .finally(ended),
        );
      });
    void all.run('', async () => ofEach.run(signed.principal, counted));
    return response;
  }

  return {
    routes: routes({ 'GET /': async (request) => open(request) ?? answerTooMany(request.context, 5) }),
    drain: () => draining.abort(),
  };
}
