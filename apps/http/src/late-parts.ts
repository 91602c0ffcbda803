import type { Operator } from '@workflowlookup/core/operator';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { newSignInSecret } from '@workflowlookup/host';
import type { Log } from '@workflowlookup/mcp';
import { describeError } from '@workflowlookup/mcp';
import type { ChangeFeed } from './change-feed.ts';
import type { Identity } from './auth/identity.ts';
import type { Console, ConsoleParts } from './console/console-parts.ts';
import type { evidenceRoutes } from './evidence-routes.ts';
import { evidenceMessages } from './messages.ts';
import type { NetworkOptions } from './network-options.ts';

/** A console that is loaded on the first request for it. */
interface LateConsole extends Console {
  /**
   * Where it is, from the root of the server; `undefined` without a console. Without credentials it signs in
   * the user of this machine, once and soon: browsers don't send the part after `#`, so an agent that uses the
   * server does not have it. @throws KEYS_UNUSABLE where the keys can't be used
   */
  link(): string | undefined;
}

/** Makes one; where it is not wanted, it answers that there is nothing. */
export function createLateConsole(parts: ConsoleParts, keys: () => KeyRing): LateConsole {
  const isWanted = parts.network.console;
  let made: Promise<Console> | undefined;

  async function load(): Promise<Console> {
    const { createConsole } = await import('./console/create-console.ts');
    return createConsole(parts);
  }

  return {
    link() {
      if (!isWanted) return undefined;
      const isOpen = parts.verifiers.length === 0;
      return `/console/${isOpen ? `#sign-in=${newSignInSecret(keys(), Date.now())}` : ''}`;
    },
    async fetch(request) {
      if (!isWanted) return Response.json({ error: 'not_found' }, { status: 404 });
      made ??= load();
      return (await made).fetch(request);
    },
    drain: () => void made?.then((console) => console.drain()),
  };
}

/**
 * Makes the routes for evidence, which are loaded with the first request. A server without sign-in has none, because it
 * can't tell a person from an agent.
 */
export function createLateEvidence(
  parts: Pick<ConsoleParts, 'host' | 'log' | 'verifiers'>,
): (request: Request, who: Identity) => Promise<Response> {
  let made: Promise<ReturnType<typeof evidenceRoutes>> | undefined;
  return async (request, who) => {
    if (parts.verifiers.length === 0)
      return Response.json({ code: 'FORBIDDEN', message: evidenceMessages.noSignIn() }, { status: 403 });
    made ??= import('./evidence-routes.ts').then((module) => module.evidenceRoutes(parts));
    return (await made).fetch(request, { who });
  };
}

interface LateWebhookParts {
  readonly operator: Pick<Operator, 'find' | 'summary'>;
  readonly feed: ChangeFeed;
  readonly network: Pick<NetworkOptions, 'publicUrl' | 'webhook'>;
  readonly log: Log;
}

/** A webhook that is loaded where one is asked for. */
interface LateWebhook {
  /** From now on; where the database can't be had yet, from when it can. */
  start(): Promise<void>;
  /** Also cancels messages under way. */
  stop(): void;
}

/** Makes one, which tells of checkpoints that begin to wait, and of parked sessions whose time has come. */
export function createLateWebhook({ feed, operator, network, log }: LateWebhookParts): LateWebhook {
  const { publicUrl, webhook } = network;
  const leaving = new AbortController();
  const onError = (error: unknown): void => log('warn', 'webhook_lost', describeError(error));
  return {
    async start() {
      if (webhook === undefined) return;
      const { announceCheckpoints, announceParked, sendWebhook } = await import('./webhook.ts');
      const { signal } = leaving;
      const send = (message: Parameters<typeof sendWebhook>[1]): Promise<void> =>
        sendWebhook(webhook, message, signal);
      const parts = { feed, publicUrl, send, onError, signal };
      await Promise.all([announceCheckpoints(parts), announceParked({ ...parts, operator })]);
    },
    stop: () => leaving.abort(),
  };
}
