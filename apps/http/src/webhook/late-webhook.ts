import type { Log } from '@workflowlookup/mcp';
import { describeError } from '@workflowlookup/mcp';
import type { ChangeFeed } from '../changes/change-feed.ts';
import type { NetworkOptions } from '../network-options.ts';

/** What a webhook takes. */
export interface LateWebhookParts {
  readonly feed: ChangeFeed;
  readonly network: Pick<NetworkOptions, 'publicUrl' | 'webhook'>;
  readonly log: Log;
}

/** A webhook that is loaded where one is asked for. */
export interface LateWebhook {
  /** From now on; where the database can't be had yet, from when it can. */
  start(): Promise<void>;
  /** Lets go of messages under way too. */
  stop(): void;
}

/** Makes one, which tells of checkpoints that begin to wait. */
export function createLateWebhook({ feed, network, log }: LateWebhookParts): LateWebhook {
  const { publicUrl, webhook } = network;
  const leaving = new AbortController();
  const onError = (error: unknown): void => log('warn', 'webhook_lost', describeError(error));
  return {
    async start() {
      if (webhook === undefined) return;
      const [{ announceGates }, { sendWebhook }] = await Promise.all([
        import('./announce-gates.ts'),
        import('./send-webhook.ts'),
      ]);
      const { signal } = leaving;
      const send = (message: Parameters<typeof sendWebhook>[1]): Promise<void> =>
        sendWebhook(webhook, message, signal);
      await announceGates({ feed, publicUrl, send, onError, signal });
    },
    stop: () => leaving.abort(),
  };
}
