import pRetry from 'p-retry';
import type { Operator, SessionSummary } from '@workflowlookup/core/operator';
import { AbortError } from 'p-retry';
import { Webhook } from 'standardwebhooks';
import type { ChangeFeed, Changed } from './change-feed.ts';
import { findMany } from './change-feed.ts';
import type { WebhookOptions } from './options.ts';
import { addressMessages } from './messages.ts';

/** A message. Its id is the same whichever server sends it, and in every attempt. */
export interface WebhookMessage {
  readonly id: string;
  readonly body: object;
}

/** The pauses before each retry, about four minutes in all. */
const patience = { retries: 8, minTimeout: 1_000, maxTimeout: 60_000, factor: 2, randomize: true };
const answerMs = 10_000;

/**
 * Sends a signed message in the format of Standard Webhooks, and retries until the receiver accepts it or the retries
 * are used up. It does not retry after status 410, by which the receiver declines further messages. @throws the error
 * of the last attempt
 */
export async function sendWebhook(
  { url, secret }: WebhookOptions,
  { id, body }: WebhookMessage,
  signal: AbortSignal,
): Promise<void> {
  const text = JSON.stringify(body);
  const webhook = new Webhook(secret);
  await pRetry(
    async () => {
      const at = new Date();
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': webhook.sign(id, at, text),
        },
        body: text,
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      });
      await response.body?.cancel();
      if (response.status === 410) throw new AbortError(addressMessages.webhookGone());
      if (!response.ok) throw new Error(addressMessages.webhookRefused(response.status));
    },
    // By default, p-retry does not retry every error of a failed connection.
    { ...patience, signal, shouldRetry: () => true },
  );
}

export interface AnnounceParts {
  readonly feed: ChangeFeed;
  /** The public address of the server. Without it, messages have no link. */
  readonly publicUrl?: string | undefined;
  send(message: WebhookMessage): Promise<void>;
  /** Called with the error of each message that was not delivered, and with each failure of the database. */
  onError(error: unknown): void;
  /** Aborted when the server shuts down. */
  readonly signal: AbortSignal;
}

/**
 * The maximum number of messages in progress. Further checkpoints are not announced, but the console's inbox shows
 * them.
 */
const most = 100;

/** Sends a message for every checkpoint that is yielded after this resolves. */
export async function announceCheckpoints(parts: AnnounceParts): Promise<void> {
  let inFlight = 0;
  await onEvery('checkpoint-yielded', parts, async (change) => {
    const summary = await change.summary();
    // Skip a checkpoint that was answered in the meantime.
    if (summary?.checkpoint === undefined || isUnvouched(summary.session)) return;
    if (inFlight >= most) throw new Error(addressMessages.webhookBusy(most));
    inFlight += 1;
    const { checkpoint, session } = summary;
    const message = messageOf('checkpoint.waiting', summary, parts, {
      id: 'checkpoint',
      at: session.updatedAt,
      texts: { checkpoint },
    });
    await parts.send(message).finally(() => (inFlight -= 1));
  });
}

/** How often the server checks whether the time of a parked session has come. */
const lookEveryMs = 15_000;

/** What is needed to announce parked sessions. */
export interface AnnounceParkedParts extends AnnounceParts {
  readonly operator: Pick<Operator, 'find' | 'summary'>;
  /** Milliseconds since the epoch. */
  now?(): number;
  /** Calls `look` at intervals until the signal is aborted. Tests replace it, so that they need no timer. */
  readonly every?: (ms: number, look: () => void, signal: AbortSignal) => void;
}

/** Sends a message for every parked session whose time has come while this server runs. */
export async function announceParked(parts: AnnounceParkedParts): Promise<void> {
  const { operator, send, signal, now = Date.now, every = everyWithTimer } = parts;
  const times = new Map<string, number>();
  const startedMs = now();

  /** Remembers the time until which a session is parked, unless that time was over before the server started. */
  function note(summary: SessionSummary | undefined): void {
    if (summary?.parked?.until === undefined || isUnvouched(summary.session)) return;
    const untilMs = Date.parse(summary.parked.until);
    if (untilMs >= startedMs) times.set(summary.session.sid, untilMs);
  }

  async function announce(sid: string, untilMs: number): Promise<void> {
    const summary = await operator.summary(sid);
    const until = summary?.parked?.until;
    // Skip a session that was resumed or parked anew in the meantime.
    if (summary === undefined || until === undefined || Date.parse(until) !== untilMs) return;
    // The reason is omitted, because an agent may have written it.
    await send(
      messageOf('session.parked_until', summary, parts, { id: 'parked', at: until, texts: { until } }),
    );
  }

  await onEvery('session-parked', parts, async (change) => note(await change.summary()));
  if (signal.aborted) return;
  const { sessions } = await findMany(operator, { statuses: ['parked'] }).catch((error: unknown) => {
    reportTo(parts)(error);
    return { sessions: [] };
  });
  for (const { sid } of sessions) {
    if (signal.aborted) return;
    note(await operator.summary(sid).catch(() => undefined));
  }
  const look = (): void => {
    for (const [sid, untilMs] of times) {
      if (untilMs > now()) continue;
      times.delete(sid);
      announce(sid, untilMs).catch(reportTo(parts));
    }
  };
  every(lookEveryMs, look, signal);
}

function everyWithTimer(ms: number, look: () => void, signal: AbortSignal): void {
  const timer = setInterval(look, ms);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer));
}

/** Calls `react` with each change that has an event of this type. It retries until the database is available. */
async function onEvery(
  type: Changed['events'][number]['type'],
  parts: AnnounceParts,
  react: (change: Changed) => Promise<void>,
): Promise<void> {
  const { feed, signal } = parts;
  const onError = reportTo(parts);
  const listen = (): ReturnType<ChangeFeed['listen']> =>
    feed.listen((changes) => {
      for (const change of changes)
        if (change.events.some((event) => event.type === type)) react(change).catch(onError);
    });
  const stop = await pRetry(listen, {
    retries: Infinity,
    maxTimeout: 30_000,
    signal,
    onFailedAttempt: ({ error }) => onError(error),
    shouldRetry: () => true,
  }).catch((error: unknown) => {
    if (signal.aborted) return () => undefined;
    throw error;
  });
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
}

/** Errors after the server began to stop are not reported. */
function reportTo({ signal, onError }: AnnounceParts): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) onError(error);
  };
}

/**
 * Returns whether the journal of a session failed verification. Such a session can't continue with an answer, and its
 * texts may have been made up to mislead people.
 */
function isUnvouched({ unauthentic, imported }: SessionSummary['session']): boolean {
  return unauthentic !== undefined || imported?.isAuthentic === false;
}

/** Returns the message about a session. Its texts are escaped. */
function messageOf(
  type: string,
  { session: { sid, workflowId, principal, agent, revision }, title, current }: SessionSummary,
  { publicUrl }: Pick<AnnounceParts, 'publicUrl'>,
  more: { readonly id: string; readonly at: string; readonly texts: Readonly<Record<string, string>> },
): WebhookMessage {
  const path = encodeURIComponent(sid);
  const texts = { sid, workflowId, title, principal, agent, activity: current, ...more.texts };
  const url = publicUrl && `${publicUrl.replace(/\/$/, '')}/console/sessions/${path}`;
  return {
    // Every server of the database uses the same id, so that the receiver can drop duplicates.
    id: `${more.id}_${path}_${revision}`,
    body: { type, timestamp: more.at, data: { ...escaped(texts), revision, url } },
  };
}

/**
 * Escapes texts for chats. In Slack and similar chats, `<!channel>` notifies everybody and `<url|text>` is a link, and
 * an agent chooses its own name.
 */
function escaped(texts: Readonly<Record<string, string | undefined>>): object {
  const entries = Object.entries(texts).map(([name, text]) => [name, text?.replace(/[&<>]/g, entityOf)]);
  return Object.fromEntries(entries);
}

function entityOf(character: string): string {
  return character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;';
}
