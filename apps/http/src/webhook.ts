import pRetry from 'p-retry';
import type { Operator, SessionSummary } from '@workflowlookup/core/operator';
import { AbortError } from 'p-retry';
import { Webhook } from 'standardwebhooks';
import type { ChangeFeed, Changed } from './change-feed.ts';
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
  const { feed, publicUrl, send, signal } = parts;
  let inFlight = 0;

  async function announce(change: Changed): Promise<void> {
    const summary = await change.summary();
    // Skip a checkpoint that was answered in the meantime.
    if (summary?.checkpoint === undefined || isUnvouched(summary.session)) return;
    if (inFlight >= most) throw new Error(addressMessages.webhookBusy(most));
    inFlight += 1;
    try {
      await send(messageOf(summary, publicUrl));
    } finally {
      inFlight -= 1;
    }
  }

  const onError = (error: unknown): void => {
    if (!signal.aborted) parts.onError(error);
  };
  const stop = await listenAtLast(feed, { signal, onError }, (changes) => {
    const yielded = changes.filter(({ events }) => events.some(({ type }) => type === 'checkpoint-yielded'));
    for (const change of yielded) announce(change).catch(onError);
  });
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
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
  const { feed, operator, publicUrl, send, signal, now = Date.now, every = everyWithTimer } = parts;
  const times = new Map<string, number>();
  const startedMs = now();
  const onError = (error: unknown): void => {
    if (!signal.aborted) parts.onError(error);
  };

  /** Remembers the time until which a session is parked, unless that time was over before the server started. */
  function note(summary: SessionSummary | undefined): void {
    if (summary?.parked?.until === undefined || isUnvouched(summary.session)) return;
    const untilMs = Date.parse(summary.parked.until);
    if (untilMs >= startedMs) times.set(summary.session.sid, untilMs);
  }

  async function announce(sid: string, untilMs: number): Promise<void> {
    const summary = await operator.summary(sid);
    // Skip a session that was resumed or parked anew in the meantime.
    if (summary?.parked?.until === undefined || Date.parse(summary.parked.until) !== untilMs) return;
    await send(parkedMessage(summary, publicUrl));
  }

  const stop = await listenAtLast(feed, { signal, onError }, (changes) => {
    for (const change of changes.filter(({ events }) => events.some(({ type }) => type === 'session-parked')))
      change.summary().then(note).catch(onError);
  });
  signal.addEventListener('abort', stop);
  if (signal.aborted) return stop();
  let cursor: string | undefined;
  do {
    const page = await operator
      .find({ statuses: ['parked'] }, cursor === undefined ? {} : { cursor })
      .catch(onError);
    for (const { sid } of page?.sessions ?? []) note(await operator.summary(sid).catch(() => undefined));
    cursor = page?.next;
  } while (cursor !== undefined && !signal.aborted);
  const look = (): void => {
    for (const [sid, untilMs] of times) {
      if (untilMs > now()) continue;
      times.delete(sid);
      announce(sid, untilMs).catch(onError);
    }
  };
  every(lookEveryMs, look, signal);
}

function everyWithTimer(ms: number, look: () => void, signal: AbortSignal): void {
  const timer = setInterval(look, ms);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer));
}

/** Adds the listener, and retries until the database is available. */
async function listenAtLast(
  feed: ChangeFeed,
  { signal, onError }: Pick<AnnounceParts, 'signal' | 'onError'>,
  listener: Parameters<ChangeFeed['listen']>[0],
): ReturnType<ChangeFeed['listen']> {
  const onFailedAttempt = ({ error }: { readonly error: Error }): void => onError(error);
  return pRetry(() => feed.listen(listener), {
    retries: Infinity,
    maxTimeout: 30_000,
    signal,
    onFailedAttempt,
    shouldRetry: () => true,
  }).catch((error: unknown) => {
    if (signal.aborted) return () => undefined;
    throw error;
  });
}

/**
 * Returns whether the journal of a session failed verification. Such a session can't continue with an answer, and its
 * texts may have been made up to mislead people.
 */
function isUnvouched({ unauthentic, imported }: SessionSummary['session']): boolean {
  return unauthentic !== undefined || imported?.isAuthentic === false;
}

/** Returns the message about a checkpoint. Its texts are escaped. */
function messageOf(
  { session: { sid, workflowId, principal, agent, revision, updatedAt }, ...summary }: SessionSummary,
  publicUrl: string | undefined,
): WebhookMessage {
  const { title, current, checkpoint } = summary;
  const path = encodeURIComponent(sid);
  const texts = { sid, workflowId, title, principal, agent, activity: current, checkpoint };
  const data = { ...escaped(texts), revision, ...linkTo(path, publicUrl) };
  return {
    // Every server of the database uses the same id, so that the receiver can drop duplicates.
    id: `checkpoint_${path}_${revision}`,
    body: { type: 'checkpoint.waiting', timestamp: updatedAt, data },
  };
}

/** Returns the message about a parked session. It omits the reason, because an agent may have written it. */
function parkedMessage(
  { session: { sid, workflowId, principal, agent, revision }, ...summary }: SessionSummary,
  publicUrl: string | undefined,
): WebhookMessage {
  const { title, current, parked } = summary;
  const path = encodeURIComponent(sid);
  const texts = { sid, workflowId, title, principal, agent, activity: current, until: parked?.until };
  return {
    id: `parked_${path}_${revision}`,
    body: {
      type: 'session.parked_until',
      timestamp: parked?.until,
      data: { ...escaped(texts), revision, ...linkTo(path, publicUrl) },
    },
  };
}

function linkTo(path: string, publicUrl: string | undefined): { readonly url?: string } {
  return publicUrl === undefined ? {} : { url: `${publicUrl.replace(/\/$/, '')}/console/sessions/${path}` };
}

/**
 * Escapes texts for chats. In Slack and similar chats, `<!channel>` notifies everybody and `<url|text>` is a link, and
 * an agent chooses its own name.
 */
function escaped<T extends Readonly<Record<string, string | undefined>>>(texts: T): T {
  const entries = Object.entries(texts).map(([name, text]) => [name, text?.replace(/[&<>]/g, entityOf)]);
  return Object.fromEntries(entries) as T;
}

function entityOf(character: string): string {
  return character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;';
}
