import type { ChangeEvents, SessionsChanged } from '@workflowlookup/console/contract';
import type { WorkflowChange } from '@workflowlookup/core';
import type { SessionSummary, Operator, SessionCounts } from '@workflowlookup/core/operator';
import { describeError } from '@workflowlookup/mcp';
import type { Context } from 'hono';
import { Hono } from 'hono';
import type { SSEStreamingApi } from 'hono/streaming';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import { shareOf } from '../auth/authentication.ts';
import type { ChangeFeed, Changed } from '../change-feed.ts';
import { createAlarm } from '../change-feed.ts';
import { createShare } from '../guards.ts';
import type { Accounts, SignedInUser } from './account/accounts.ts';
import { seesAll } from './account/accounts.ts';
import { holderOf } from './account/session-token.ts';
import { sessionRow } from './api/session-routes.ts';
import type { ConsoleEnv, ConsoleParts } from './requests.ts';
import { answerTooMany, readQuery } from './requests.ts';

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

/** The content of one event. */
interface Due {
  readonly changes: readonly Changed[];
  /** There were more changes than one event lists. */
  readonly isMore: boolean;
}

/** Changes that were not yet sent to a page. Each session is in it once, however often it was written to. */
interface Pending {
  add(changes: readonly Changed[]): void;
  /** Removes and returns the pending changes, latest first. */
  take(): Due;
  readonly isEmpty: boolean;
}

/** How many changes one event may list. If more are pending, the page only learns that there are more. */
const most = 50;

/** Creates an empty set of pending changes. */
function createPending(): Pending {
  const bySid = new Map<string, Changed>();
  let isMore = false;
  return {
    add(changes) {
      for (const change of changes) {
        bySid.delete(change.sid);
        bySid.set(change.sid, change);
      }
      while (bySid.size > most) {
        const [oldest = ''] = bySid.keys();
        bySid.delete(oldest);
        isMore = true;
      }
    },
    take() {
      const due = { changes: [...bySid.values()].toReversed(), isMore };
      bySid.clear();
      isMore = false;
      return due;
    },
    get isEmpty() {
      return bySid.size === 0;
    },
  };
}

/** Returns the summaries of the changed sessions. It leaves out damaged sessions, which the list of sessions reports. */
async function summariesOf(changes: readonly Changed[]): Promise<readonly SessionSummary[]> {
  const found = await Promise.all(changes.map((change) => change.summary().catch(() => undefined)));
  return found.filter((one) => one !== undefined);
}

interface StreamParts {
  readonly feed: ChangeFeed;
  readonly operator: Operator;
  readonly counts: Counts;
  readonly signed: SignedInUser;
  readonly version: string;
  /** The stream also reports changes from this many milliseconds before it opened. */
  readonly missedMs: number;
  watchWorkflows(listener: (change: WorkflowChange) => void): () => void;
  /** Whether the user is still signed in. @throws STORE_UNAVAILABLE */
  isSignedIn(): Promise<boolean>;
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

/** Sends changes to a page until the page is closed, the server stops, or the user is no longer signed in. */
async function streamChanges(stream: SSEStreamingApi, parts: StreamParts): Promise<void> {
  const { feed, operator, counts, signed, version, missedMs, watchWorkflows, isSignedIn, draining } = parts;
  const pending = createPending();
  const workflows: WorkflowChange[] = [];
  const alarm = createAlarm();
  const endMs = performance.now() + longestMs;
  const send = <Name extends keyof ChangeEvents>(event: Name, data: ChangeEvents[Name]): Promise<void> =>
    stream.writeSSE({ event, data: JSON.stringify(data) });

  async function addMissed(): Promise<void> {
    const updatedSince = new Date(Date.now() - missedMs - clockMarginMs).toISOString();
    const { sessions } = await operator.find({ updatedSince }, { limit: most + 1 });
    pending.add(
      sessions
        .toReversed()
        .map(({ sid }) => ({ sid, events: [], summary: async () => operator.summary(sid) })),
    );
    alarm.goOff();
  }

  async function runsChanged(): Promise<SessionsChanged | undefined> {
    const { changes, isMore } = pending.take();
    const all = await summariesOf(changes);
    const own = seesAll(signed)
      ? all
      : all.filter(({ session: { principal } }) => principal === signed.principal);
    if (own.length === 0 && !isMore) return undefined;
    return { sessions: own.map(sessionRow), isMore, counts: await counts(signed, operator) };
  }

  async function tell(): Promise<void> {
    if (!pending.isEmpty) {
      const changed = await runsChanged();
      if (changed !== undefined) await send('sessions', changed);
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
    if (missedMs > 0) await addMissed();
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

/** The maximum number of streams of one principal. Each open page reads one. */
const mostOfEach = 64;

const changesQuery = z.strictObject({ missedMs: z.coerce.number().int().min(0).max(600_000).default(0) });

/** The routes of the change stream, and how to end its streams. */
interface ChangesRoutes {
  readonly routes: Hono<ConsoleEnv>;
  /** Ends the streams. */
  drain(): void;
}

export function changesRoutes(parts: ConsoleParts, accounts: Accounts): ChangesRoutes {
  const { feed, host, network, version, log } = parts;
  const onError = (error: unknown): void => log('error', 'failure', describeError(error));
  const counts = createCounts(feed);
  const draining = new AbortController();
  const all = createShare(network.maxStreams);
  const ofEach = createShare(Math.min(mostOfEach, shareOf(network, network.maxStreams)));

  /** Opens a stream, which counts against the limits until it ends. Returns `undefined` if a limit is reached. */
  function open(context: Context<ConsoleEnv>): Response | undefined {
    const { missedMs } = readQuery(context, changesQuery);
    let response: Response | undefined;
    const { principal } = context.get('signed');
    const counted = (): Promise<void> =>
      new Promise((ended) => {
        // Without this header, proxies that buffer whole responses would hold back the events.
        context.header('x-accel-buffering', 'no');
        response = streamSSE(context, (stream) => tell(context, stream, missedMs).finally(ended));
      });
    void all.run('', async () => ofEach.run(principal, counted));
    return response;
  }

  async function tell(
    context: Context<ConsoleEnv>,
    stream: SSEStreamingApi,
    missedMs: number,
  ): Promise<void> {
    const signed = context.get('signed');
    try {
      await streamChanges(stream, {
        feed,
        counts,
        operator: context.get('operator'),
        signed,
        version,
        missedMs,
        watchWorkflows: (listener) => host.engine.watch(listener),
        isSignedIn: async () => (await holderOf(context, accounts))?.id === signed.id,
        draining: draining.signal,
      });
    } catch (error) {
      onError(error);
    }
  }

  return {
    routes: new Hono<ConsoleEnv>().get('/', (context) => open(context) ?? answerTooMany(context, 5)),
    drain: () => draining.abort(),
  };
}
