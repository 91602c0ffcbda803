import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadKeyRing } from '@workflowlookup/host';
import { sessionSeal } from '../../src/console/account/session-token.ts';
import { startAgent } from '../support/agent.ts';
import type { Browser } from '../support/browser.ts';
import { openBrowser, openKeyBrowser, openLocalBrowser } from '../support/browser.ts';
import { runKeysCommand } from '../../src/keys-command.ts';
import type { Headers, TestService } from '../support/service.ts';
import { bearer, openService } from '../support/service.ts';
import type { Outcome } from './outcome.ts';
import { outcomeOf } from './outcome.ts';
import type { Case, Row } from './row.ts';

/** Requests the list of sessions with these headers. */
const look = (service: TestService, headers: Headers): Promise<Outcome> =>
  outcomeOf(service.fetch('/console/api/sessions', { headers }));

/** Returns a case that sends a request with headers made from the token of the local user. */
const shown = (
  what: string,
  headersOf: (token: string, browser: Browser) => Headers | Promise<Headers>,
): Case => [
  what,
  async () => {
    const service = openService();
    const browser = await openLocalBrowser(service);
    return look(service, await headersOf(browser.token(), browser));
  },
];

async function forged(): Promise<Outcome> {
  const service = openService();
  await openLocalBrowser(service);
  const keys = loadKeyRing({ stateDirectory: service.state });
  return look(service, bearer(await sessionSeal.close(keys, { way: 'secret' }, 3600)));
}

async function ofRevokedKey(): Promise<Outcome> {
  const service = openService('--auth', 'keys');
  const key = await service.key({ principal: 'ann', scopes: ['read'] });
  const browser = await openKeyBrowser(service, key);
  const place = { stateDirectory: service.state };
  await runKeysCommand({ action: 'revoke', id: key.split('_')[1] ?? '', place });
  return look(service, bearer(browser.token()));
}

async function ofLocalUser(): Promise<Outcome> {
  const service = openService();
  const token = (await openLocalBrowser(service)).token();
  return look(openService('--state', service.state, '--auth', 'keys'), bearer(token));
}

/** Returns a case that signs out, or reads sessions with GET, with these headers in addition to the token. */
const signOut = (what: string, headers: Headers, method = 'POST'): Case => [
  what,
  async () => {
    const service = openService();
    const { token } = await openLocalBrowser(service);
    const init = { method, headers: { ...bearer(token()), ...headers } };
    return outcomeOf(service.fetch(`/console/api/${method === 'GET' ? 'sessions' : 'sign-out'}`, init));
  },
];

/** Returns a case in which bob, who has all scopes, requests a session of ann that waits at a checkpoint. */
const bobs = (what: string, method: string, path: string): Case => [
  what,
  async () => {
    const service = openService('--auth', 'keys');
    const ann = await service.key({ principal: 'ann', scopes: ['read', 'write'] });
    const agent = await startAgent(service, { headers: bearer(ann) });
    await agent.stopAtCheckpoint();
    const bob = await service.key({ principal: 'bob', scopes: ['read', 'write', 'checkpoints:respond'] });
    const browser = await openKeyBrowser(service, bob);
    const body = { mode: { kind: 'option', option: 'confirm' }, revision: 4 };
    const at = `/sessions/${agent.sid}${path}`;
    return outcomeOf(method === 'GET' ? browser.get(at) : browser.send(method, at, body));
  },
];

const lacking = (what: string, method: string, path: string): Case => [
  what,
  async () => {
    const service = openService('--auth', 'keys', '--writable', '/nowhere');
    const key = await service.key({ principal: 'agents', scopes: ['read', 'write'] });
    return outcomeOf((await openKeyBrowser(service, key)).send(method, path, {}));
  },
];

const file = (what: string, path: string): Case => [
  what,
  async () => {
    const service = openService();
    writeFileSync(join(service.definitions, 'README.md'), '# Notes');
    const browser = await openLocalBrowser(service);
    const asked = new URLSearchParams({ source: 'custom-1', file: path }).toString();
    return outcomeOf(browser.get(`/text?${asked}`));
  },
];

/** Requests to the console. */
export const consoleRows: readonly Row[] = [
  {
    comes:
      'a wrong secret in a sign-in link. A request to the console without a sign-in token, or with one in a cookie. A sign-in token that was changed, that somebody made with the token keys without signing in, or that was used after signing out or after its API key was revoked',
    answered: '401',
    cases: [
      ['without a token', () => outcomeOf(openBrowser(openService()).get('/sessions'))],
      ['with a key instead of a token', () => look(openService(), bearer('wlk_0'))],
      shown('changed', (token) => bearer(token.replace(/.(?=.{9}$)/, (one) => (one === 'A' ? 'B' : 'A')))),
      shown('in a cookie', (token) => ({ cookie: `workflowlookup-console-8420=${token}` })),
      ['forged with the keys', forged],
      shown('after signing out', async (token, browser) => {
        await browser.send('POST', '/sign-out');
        return bearer(token);
      }),
      ['of a key that was revoked', ofRevokedKey],
      ['of the local user, on a server with credentials', ofLocalUser],
      [
        'a wrong secret',
        () => outcomeOf(openBrowser(openService()).send('POST', '/sign-in', { secret: 'x' })),
      ],
    ],
  },
  {
    comes: 'a request to the console from a page of another origin, even with the sign-in token',
    answered: '403',
    cases: [
      signOut('from another site', { 'sec-fetch-site': 'cross-site' }),
      signOut('from another port', { 'sec-fetch-site': 'same-site' }),
      signOut('from the origin of another port', { origin: 'http://127.0.0.1:9' }),
      signOut('from another origin, to read sessions', { origin: 'http://localhost:8420' }, 'GET'),
      signOut('from a sandboxed frame', { origin: 'null' }),
    ],
  },
  {
    comes: 'answering a checkpoint or saving a definition in the console without the required scopes',
    answered: '403',
    cases: [lacking('an answer', 'POST', '/sessions/x/answer'), lacking('a definition', 'PUT', '/text')],
  },
  {
    comes: "viewing or exporting another principal's session in the console, or answering its checkpoints",
    answered: '404',
    cases: [
      bobs('to view it', 'GET', ''),
      bobs('to read its events', 'GET', '/events'),
      bobs('to export it', 'GET', '/export'),
      bobs('to answer its checkpoint', 'POST', '/answer'),
    ],
  },
  {
    comes: 'opening a file in the console that is not part of a definition, or that is outside its source',
    answered: '403',
    cases: [
      file('a text in the folder of the definitions', 'README.md'),
      file('in the parent folder', '../state/sessions.db'),
      file('with an absolute path', '/etc/passwd'),
      file('in a hidden folder', '.git/config.json'),
      file('with .. in the middle', 'a/../../x.json'),
      file('with backslashes', '..\\x.json'),
      file('with a zero byte', 'x.json\0.json'),
    ],
  },
];
