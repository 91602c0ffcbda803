import pRetry from 'p-retry';
import type { SessionSummary } from '@workflowlookup/core/operator';
import { AbortError } from 'p-retry';
import { Webhook } from 'standardwebhooks';
import type { ChangeFeed, Changed } from './change-feed.ts';
import type { WebhookOptions } from './network-options.ts';
import { addressMessages } from './messages.ts';

/** A message: the same id whoever sends it and however often. */
export interface WebhookMessage {
  readonly id: string;
  readonly body: object;
}

/** How often it is tried again: with these pauses for about four minutes. */
const patience = { retries: 8, minTimeout: 1_000, maxTimeout: 60_000, factor: 2, randomize: true };
const answerMs = 10_000;

/**
 * Posts a message as Standard Webhooks has it, signed, until it is taken or the patience is over. Who answers 410 wants no
 * more of it. @throws what the last try came to
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
    // A connection that fails is tried again too, whatever it fails with.
    { ...patience, signal, shouldRetry: () => true },
  );
}

export interface AnnounceParts {
  readonly feed: ChangeFeed;
  /** Where people reach the server; left out, messages have no link. */
  readonly publicUrl?: string | undefined;
  send(message: WebhookMessage): Promise<void>;
  /** Told of messages that did not arrive, and of a database that can't be had. */
  onError(error: unknown): void;
  /** Fires at the end. */
  readonly signal: AbortSignal;
}

/** Messages under way at once; where more wait, the inbox of the console has them. */
const most = 100;

/** Sends a message for every checkpoint that begins to wait, from when this resolves. */
export async function announceCheckpoints(parts: AnnounceParts): Promise<void> {
  const { feed, publicUrl, send, signal } = parts;
  let underWay = 0;

  async function announce(change: Changed): Promise<void> {
    const glance = await change.glance();
    // Skip a checkpoint that was answered in the meantime.
    if (glance?.checkpoint === undefined || isUnvouched(glance.session)) return;
    if (underWay >= most) throw new Error(addressMessages.webhookBusy(most));
    underWay += 1;
    try {
      await send(messageOf(glance, publicUrl));
    } finally {
      underWay -= 1;
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

/** Listens as soon as the database can be had. */
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

/** Whether nobody here vouches for a session: no answer continues it, and its texts may be made up to mislead people. */
function isUnvouched({ unauthentic, imported }: SessionSummary['session']): boolean {
  return unauthentic !== undefined || imported?.isAuthentic === false;
}

/** What is told: which question waits where, and nothing of what was said in the run. */
function messageOf(
  { session: { sid, workflowId, principal, agent, revision, updatedAt }, ...glance }: SessionSummary,
  publicUrl: string | undefined,
): WebhookMessage {
  const { title, current, checkpoint } = glance;
  const path = encodeURIComponent(sid);
  const link = publicUrl === undefined ? {} : { url: `${publicUrl.replace(/\/$/, '')}/console/runs/${path}` };
  const texts = { sid, workflowId, title, principal, agent, activity: current, checkpoint };
  const data = { ...escaped(texts), revision, ...link };
  return {
    // The same from every server of the database, so that who gets it knows that it is one message.
    id: `checkpoint_${path}_${revision}`,
    body: { type: 'checkpoint.waiting', timestamp: updatedAt, data },
  };
}

/**
 * Texts as chats want them: in Slack and its like `<!channel>` calls everybody and `<url|text>` is a link, and an agent
 * chooses its name.
 */
function escaped<T extends Readonly<Record<string, string | undefined>>>(texts: T): T {
  const entries = Object.entries(texts).map(([name, text]) => [name, text?.replace(/[&<>]/g, entityOf)]);
  return Object.fromEntries(entries) as T;
}

function entityOf(character: string): string {
  return character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;';
}
