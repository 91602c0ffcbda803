import type { Context } from 'hono';
import { Hono } from 'hono';
import type { SSEStreamingApi } from 'hono/streaming';
import { streamSSE } from 'hono/streaming';
import { describeError } from '@workflowlookup/mcp';
import { holderOf } from '../account/session-token.ts';
import type { Accounts } from '../account/accounts.ts';
import { answerTooMany } from '../answer-error.ts';
import type { ConsoleEnv } from '../console-env.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { createShare } from '../../guards/share.ts';
import { shareOf } from '../../open-door.ts';
import { createCounts } from './counts.ts';
import { streamChanges } from './stream-changes.ts';

/** Streams that one principal may read at once: pages that are open. */
const mostOfEach = 64;

/** What goes on with the changes beside their routes. */
export interface ChangesRoutes {
  readonly routes: Hono<ConsoleEnv>;
  /** Ends the streams. */
  drain(): void;
}

/** Tells pages of changes. */
export function changesRoutes(parts: ConsoleParts, accounts: Accounts): ChangesRoutes {
  const { feed, host, network, version, log } = parts;
  const onError = (error: unknown): void => log('error', 'failure', describeError(error));
  const counts = createCounts(feed);
  const draining = new AbortController();
  const all = createShare(network.maxStreams);
  const ofEach = createShare(Math.min(mostOfEach, shareOf(network, network.maxStreams)));

  /** A stream that counts until it ends; `undefined` where there is no room for one. */
  function open(context: Context<ConsoleEnv>): Response | undefined {
    let response: Response | undefined;
    const { principal } = context.get('signed');
    const counted = (): Promise<void> =>
      new Promise((ended) => {
        // Proxies that keep responses until they are whole would keep these for ever.
        context.header('x-accel-buffering', 'no');
        response = streamSSE(context, (stream) => tell(context, stream).finally(ended));
      });
    void all.run('', async () => ofEach.run(principal, counted));
    return response;
  }

  async function tell(context: Context<ConsoleEnv>, stream: SSEStreamingApi): Promise<void> {
    const signed = context.get('signed');
    try {
      await streamChanges(stream, {
        feed,
        counts,
        operator: context.get('operator'),
        signed,
        version,
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
