import pRetry, { AbortError } from 'p-retry';
import { Webhook } from 'standardwebhooks';
import type { WebhookOptions } from './webhook-options.ts';

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
      if (response.status === 410) throw new AbortError('It was answered with 410: it is not wanted');
      if (!response.ok) throw new Error(`It was answered with ${response.status}`);
    },
    // A connection that fails is tried again too, whatever it fails with.
    { ...patience, signal, shouldRetry: () => true },
  );
}
