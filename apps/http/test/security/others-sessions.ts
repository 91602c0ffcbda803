import { createEngine } from '@workflowlookup/core';
import { createHttpHandler } from '@workflowlookup/mcp/http';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import type { Headers, TestService } from '../support/service.ts';
import { answerOf, bearer, openService, rpc } from '../support/service.ts';
import type { Outcome } from './outcome.ts';
import { outcomeOf } from './outcome.ts';
import type { Case, Row } from './row.ts';

const ping = rpc('ping');

/** A server, and the headers of an MCP session of each of two principals. */
interface Pair {
  readonly service: TestService;
  readonly ann: Headers;
  readonly bob: Headers;
}

async function openPair(): Promise<Pair> {
  const service = openService('--auth', 'keys');
  const open = async (principal: string): Promise<Headers> =>
    service.open(bearer(await service.key({ principal, scopes: ['read', 'write'] })));
  return { service, ann: await open('ann'), bob: await open('bob') };
}

const asBob = (what: string, headersOf: (pair: Pair) => Headers): Case => [
  what,
  async () => {
    const pair = await openPair();
    return outcomeOf(pair.service.post(ping, headersOf(pair)));
  },
];

const idOf = (session: Headers): string => session['mcp-session-id'] ?? '';

async function endedSession(): Promise<Outcome> {
  const { service, ann } = await openPair();
  await service.fetch('/mcp', { method: 'DELETE', headers: ann });
  return outcomeOf(service.post(ping, ann));
}

/** Sends a request in a session that has expired. */
async function oldSession(): Promise<Outcome> {
  let nowMs = 0;
  const signing = { id: 'k', secret: new Uint8Array(32).fill(1) };
  const handler = createHttpHandler({
    engine: createEngine({ workflows: createMemoryStore([]) }),
    sessionsOf() {
      throw new Error('no tool is called');
    },
    keys: () => Promise.resolve({ signing, verifying: [signing] }),
    version: '1.2.3',
    onError: () => undefined,
    now: () => nowMs,
  });
  const post = (body: object, headers: Headers = {}): Promise<Response> =>
    handler.fetch(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
      { caller: { principal: 'ann' } },
    );
  const opened = await post(rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {} }));
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  nowMs = 8 * 24 * 3_600_000;
  return outcomeOf(post(ping, session));
}

/** The token and the id of ann's workflow session. */
interface Shown {
  readonly token: string;
  readonly sid: string;
}

/** Returns a case in which bob makes a call with the token or the id of ann's workflow session. */
const taken = (what: string, callOf: (shown: Shown) => object): Case => [
  what,
  async () => {
    const { service, ann, bob } = await openPair();
    const start = { agent_id: 'a', workflow_id: 'review-flow' };
    const { result } = await answerOf(await service.post(rpc('start_session', start), ann));
    const shown = { token: String(result?.['session_token']), sid: String(result?.['session_id']) };
    const outcome = await outcomeOf(service.post(callOf(shown), bob));
    if (outcome.text.includes('review-flow'))
      throw new Error(`the answer names the workflow: ${outcome.text}`);
    return outcome;
  },
];

const adopt = (shown: string): object => rpc('start_session', { agent_id: 'b', session_token: shown });

/** Sessions of other principals, and sessions that have ended. */
export const othersSessionRows: readonly Row[] = [
  {
    comes:
      'an MCP session id that belongs to another principal, was changed, was ended by the client, or has expired',
    answered: '404',
    cases: [
      asBob("another's", ({ ann, bob }) => ({ ...bob, 'mcp-session-id': idOf(ann) })),
      asBob('one with a character changed', ({ bob }) => ({
        ...bob,
        'mcp-session-id': idOf(bob).replace(/^./, (first) => (first === 'e' ? 'f' : 'e')),
      })),
      asBob('one that was never created', ({ bob }) => ({ ...bob, 'mcp-session-id': 'abc' })),
      ['one that was ended', endedSession],
      ['one that has expired', oldSession],
    ],
  },
  {
    comes: "a token or id of another principal's workflow session; a changed token",
    answered: 'error -32007',
    cases: [
      taken('its token, to read', ({ token }) => rpc('get_workflow_status', { session_token: token })),
      taken('its token, to write', ({ token }) => rpc('next_activity', { session_token: token })),
      taken('its token, to take it over', ({ token }) => adopt(token)),
      taken('its id, to take it over', ({ sid }) => adopt(sid)),
      taken('its token with a changed end, to take it over', ({ token }) => adopt(`${token.slice(0, -2)}AA`)),
      taken('its token, to start a child session', ({ token }) =>
        rpc('start_session', { agent_id: 'b', workflow_id: 'review-flow', parent_session_token: token }),
      ),
    ],
  },
];
