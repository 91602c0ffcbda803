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

/** Asks for sessions with these headers. */
const look = (service: TestService, headers: Headers): Promise<Outcome> =>
  outcomeOf(service.fetch('/console/api/sessions', { headers }));

/** The user of this machine signed in, and something is made of their token. */
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

/** Sends what signs out with these headers beside the token. */
const signOut = (what: string, headers: Headers, method = 'POST'): Case => [
  what,
  async () => {
    const service = openService();
    const { token } = await openLocalBrowser(service);
    const init = { method, headers: { ...bearer(token()), ...headers } };
    return outcomeOf(service.fetch(`/console/api/${method === 'GET' ? 'sessions' : 'sign-out'}`, init));
  },
];

/** Ann's session waits at a checkpoint, and bob, who may do everything, does something with it. */
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

/** What comes to the console. */
export const consoleRows: readonly Row[] = [
  {
    comes:
      'a wrong secret in a sign-in link. A request to the console without a sign-in token, or with one in a cookie. A sign-in token that was changed, that somebody made with the token keys without signing in, or that was used after signing out or after its API key was revoked',
    answered: '401',
    cases: [
      ['without one', () => outcomeOf(openBrowser(openService()).get('/sessions'))],
      ['with a key in place of one', () => look(openService(), bearer('wlk_0'))],
      shown('changed', (token) => bearer(token.replace(/.(?=.{9}$)/, (one) => (one === 'A' ? 'B' : 'A')))),
      shown('in a cookie', (token) => ({ cookie: `workflowlookup-console-8420=${token}` })),
      ['forged with the keys', forged],
      shown('ended', async (token, browser) => {
        await browser.send('POST', '/sign-out');
        return bearer(token);
      }),
      ['of a key that was revoked', ofRevokedKey],
      ['of the local user where there are credentials', ofLocalUser],
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
      signOut('from another origin, to read', { origin: 'http://localhost:8420' }, 'GET'),
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
      bobs('to look', 'GET', ''),
      bobs('to read its events', 'GET', '/events'),
      bobs('to keep', 'GET', '/export'),
      bobs('to answer', 'POST', '/answer'),
    ],
  },
  {
    comes: 'opening a file in the console that is not part of a definition, or that is outside its source',
    answered: '403',
    cases: [
      file('a text beside the definitions', 'README.md'),
      file('a folder up', '../state/sessions.db'),
      file('the root', '/etc/passwd'),
      file('a hidden one', '.git/config.json'),
      file('a folder up in the middle', 'a/../../x.json'),
      file('with backslashes', '..\\x.json'),
      file('with a zero byte', 'x.json\0.json'),
    ],
  },
];
