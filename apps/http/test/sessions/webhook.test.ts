import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SessionSummary } from '@workflowlookup/core/operator';
import type { ChangeFeed } from '../../src/change-feed.ts';
import { announceCheckpoints, announceParked } from '../../src/webhook.ts';
import type { WebhookMessage } from '../../src/webhook.ts';
import { startAgent } from '../support/agent.ts';
import type { TestService } from '../support/service.ts';
import { openService, openServiceWith } from '../support/service.ts';
import { optionMessages } from '../../src/messages.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const env = { WORKFLOWLOOKUP_WEBHOOK_SECRET: secret };

/** A request that the receiver got. */
interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Opens a receiver that answers each request with the next of these statuses. */
async function openReceiver(...statuses: number[]): Promise<{ url: string; next(): Promise<Posted> }> {
  const came: Posted[] = [];
  const waiting: ((posted: Posted) => void)[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      response.writeHead(statuses.shift() ?? 204).end();
      const posted = { headers: request.headers, text };
      const next = waiting.shift();
      if (next === undefined) came.push(posted);
      else next(posted);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    next: () =>
      new Promise((resolve) => (came.length > 0 ? resolve(came.shift() as Posted) : waiting.push(resolve))),
  };
}

async function openTelling(url: string, ...flags: readonly string[]): Promise<TestService> {
  const service = openServiceWith({ env }, '--webhook', url, ...flags);
  await service.service.warm();
  return service;
}

test('A new checkpoint is sent with a signature from any server, and again if it was not accepted', async () => {
  const receiver = await openReceiver(503);
  const { state } = await openTelling(receiver.url, '--public-url', 'https://workflows.example.com');
  const agent = await startAgent(openService('--state', state));
  await agent.stopAtCheckpoint();
  const posts = [await receiver.next(), await receiver.next()];
  for (const { headers, text } of posts)
    expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toEqual({
      type: 'checkpoint.waiting',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        sid: agent.sid,
        workflowId: 'review-flow',
        title: 'Review',
        principal: 'local',
        agent: 'agent-1',
        activity: 'report',
        checkpoint: 'confirm',
        revision: 4,
        url: `https://workflows.example.com/console/sessions/${agent.sid}`,
      },
    });
  expect(new Set(posts.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set([`checkpoint_${agent.sid}_4`]),
  );
});

test('The name of an agent cannot mention anybody in a chat', async () => {
  const receiver = await openReceiver();
  const service = await openTelling(receiver.url);
  const agent = await startAgent(service, {
    name: '<!channel> & <https://evil.example|Approve>',
  });
  await agent.stopAtCheckpoint();
  const { data } = JSON.parse((await receiver.next()).text) as { readonly data: Record<string, string> };
  expect(data['agent']).toBe('&lt;!channel&gt; &amp; &lt;https://evil.example|Approve&gt;');
});

/** Returns the messages that are sent for a new checkpoint in these sessions. */
async function sentFor(...summaries: readonly SessionSummary[]): Promise<readonly WebhookMessage[]> {
  const sent: WebhookMessage[] = [];
  let tell: Parameters<ChangeFeed['listen']>[0] = () => undefined;
  await announceCheckpoints({
    feed: {
      told: () => 0,
      listen: (listener) => {
        tell = listener;
        return Promise.resolve(() => undefined);
      },
    },
    publicUrl: 'https://workflows.example.com',
    send: (message) => Promise.resolve(void sent.push(message)),
    onError: (error) => expect.unreachable(String(error)),
    signal: new AbortController().signal,
  });
  const events = [{ cursor: 1, sid: 's', revision: 4, at: '', type: 'checkpoint-yielded' }];
  tell(summaries.map((summary) => ({ sid: 's', events, summary: () => Promise.resolve(summary) })));
  await vi.waitUntil(() => sent.length > 0);
  return sent;
}

const waitingIn = (session: Partial<SessionSummary['session']>): SessionSummary =>
  ({
    session: { sid: 's', revision: 5, ...session },
    title: 'T',
    checkpoint: 'confirm',
    progress: { done: 1, of: 2 },
  }) as SessionSummary;

test('A checkpoint that was answered before it could be sent is not sent', async () => {
  const { checkpoint: _answered, ...answered } = waitingIn({});
  const sent = await sentFor(answered, waitingIn({}));
  expect(sent.map(({ id }) => id)).toEqual(['checkpoint_s_5']);
});

test('No checkpoint is sent for a session without a valid seal, because no answer can continue it', async () => {
  const imported = { at: '', by: 'ana', revision: 1, principal: 'ann' };
  const sent = await sentFor(
    waitingIn({ revision: 1, imported: { ...imported, isAuthentic: false } }),
    waitingIn({ revision: 2, unauthentic: 'forged' }),
    waitingIn({ revision: 3, imported: { ...imported, isAuthentic: true } }),
  );
  expect(sent.map(({ id }) => id)).toEqual(['checkpoint_s_3']);
});

test('The id of a session cannot mention anybody in a chat either', async () => {
  const [message] = await sentFor(waitingIn({ sid: '<!channel>' }));
  expect(message?.body).toMatchObject({
    data: {
      sid: '&lt;!channel&gt;',
      url: 'https://workflows.example.com/console/sessions/%3C!channel%3E',
    },
  });
  expect(JSON.stringify(message)).not.toMatch(/[<>]/);
});

test('A receiver that answers 410 gets no more requests, and refused deliveries are in the log', async () => {
  const receiver = await openReceiver(410);
  const service = await openTelling(receiver.url);
  const agent = await startAgent(service);
  await agent.stopAtCheckpoint();
  await receiver.next();
  await expect.poll(() => service.logged.join()).toContain('webhook_lost');
  expect(service.logged.join()).not.toContain(agent.sid);
});

test.each([
  [{}, 'http://127.0.0.1/hook', optionMessages.noWebhookSecret('WORKFLOWLOOKUP_WEBHOOK_SECRET')],
  [
    { WORKFLOWLOOKUP_WEBHOOK_SECRET: 'short' },
    'http://127.0.0.1/hook',
    optionMessages.noWebhookSecret('WORKFLOWLOOKUP_WEBHOOK_SECRET'),
  ],
  [env, 'http://chat.example/hook', optionMessages.wrongWebhook()],
  [env, 'hook', optionMessages.wrongWebhook()],
])('The options %j and %s are refused: %s', (variables, url, reason) => {
  expect(() => openServiceWith({ env: variables }, '--webhook', url)).toThrow(reason);
});

test('The date of a parked session is reported once, unless the session was resumed or has no valid seal', async () => {
  const until = '2026-03-02T08:00:00.000Z';
  const parkedIn = (sid: string, more: Partial<SessionSummary['session']> = {}): SessionSummary => ({
    ...waitingIn({ sid, ...more }),
    parked: { by: 'agent', reason: 'Later', at: '2026-03-01T08:00:00.000Z', until },
  });
  const rows = new Map<string, SessionSummary>(
    ['stays', 'resumed'].map((sid) => [sid, parkedIn(sid)] as const),
  );
  rows.set('forged', parkedIn('forged', { unauthentic: 'forged' }));
  const sent: WebhookMessage[] = [];
  let nowMs = Date.parse('2026-03-01T09:00:00Z');
  let look = (): void => undefined;
  await announceParked({
    feed: { told: () => 0, listen: () => Promise.resolve(() => undefined) },
    operator: {
      find: () => Promise.resolve({ sessions: [...rows.values()].map(({ session }) => session) }),
      summary: (sid) => Promise.resolve(rows.get(sid)),
    },
    now: () => nowMs,
    every: (_ms, given) => {
      look = given;
    },
    send: (message) => Promise.resolve(void sent.push(message)),
    onError: (error) => expect.unreachable(String(error)),
    signal: new AbortController().signal,
  });
  look();
  expect(sent).toEqual([]);
  rows.set('resumed', waitingIn({ sid: 'resumed' }));
  nowMs = Date.parse(until);
  look();
  look();
  await vi.waitUntil(() => sent.length > 0);
  expect(sent).toMatchObject([
    { id: 'parked_stays_5', body: { type: 'session.parked_until', data: { sid: 'stays', until } } },
  ]);
});
