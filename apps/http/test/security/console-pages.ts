import { startAgent } from '../console/agent.ts';
import type { Browser } from '../console/browser.ts';
import { openBrowser, openKeyBrowser, openLocalBrowser } from '../console/browser.ts';
import { runKeysCommand } from '../../src/keys-command.ts';
import type { Headers, TestService } from '../service.ts';
import { bearer, openService } from '../service.ts';
import type { Outcome } from './outcome.ts';
import { outcomeOf } from './outcome.ts';
import type { Case, Row } from './row.ts';

/** Asks for runs with a cookie. */
const look = (service: TestService, cookie: string): Promise<Outcome> =>
  outcomeOf(service.fetch('/console/api/runs', { headers: { cookie } }));

/** The user of this machine signed in, and their cookie is shown. */
const shown = (
  what: string,
  cookieOf: (cookie: string, browser: Browser) => string | Promise<string>,
): Case => [
  what,
  async () => {
    const service = openService();
    const browser = await openLocalBrowser(service);
    return look(service, await cookieOf(browser.cookie(), browser));
  },
];

async function ofRevokedKey(): Promise<Outcome> {
  const service = openService('--auth', 'keys');
  const key = await service.key({ principal: 'ann', scopes: ['read'] });
  const browser = await openKeyBrowser(service, key);
  const place = { stateDirectory: service.state };
  await runKeysCommand({ action: 'revoke', id: key.split('_')[1] ?? '', place });
  return look(service, browser.cookie());
}

async function ofLocalUser(): Promise<Outcome> {
  const service = openService();
  const cookie = (await openLocalBrowser(service)).cookie();
  return look(openService('--state', service.state, '--auth', 'keys'), cookie);
}

/** Sends what signs out with these headers beside the cookie. */
const signOut = (what: string, headers: Headers, method = 'POST'): Case => [
  what,
  async () => {
    const service = openService();
    const { cookie } = await openLocalBrowser(service);
    const init = { method, headers: { cookie: cookie(), ...headers } };
    return outcomeOf(service.fetch(`/console/api/${method === 'GET' ? 'runs' : 'sign-out'}`, init));
  },
];

const own = { 'x-workflowlookup-console': '1' };

/** Ann's run waits at a checkpoint, and bob, who may do everything, does something with it. */
const bobs = (what: string, method: string, path: string): Case => [
  what,
  async () => {
    const service = openService('--auth', 'keys');
    const ann = await service.key({ principal: 'ann', scopes: ['read', 'write'] });
    const agent = await startAgent(service, { headers: bearer(ann) });
    await agent.stopAtGate();
    const bob = await service.key({ principal: 'bob', scopes: ['read', 'write', 'checkpoints:respond'] });
    const browser = await openKeyBrowser(service, bob);
    const body = { mode: { kind: 'option', option: 'confirm' }, revision: 4 };
    const at = `/runs/${agent.sid}${path}`;
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
    const browser = await openLocalBrowser(openService());
    const asked = new URLSearchParams({ source: 'custom-1', file: path }).toString();
    return outcomeOf(browser.get(`/text?${asked}`));
  },
];

/** What comes to the console. */
export const consoleRows: readonly Row[] = [
  {
    comes:
      'the console without a sign-in, with one that was changed, ended, or of a key that was revoked; a wrong secret',
    answered: '401',
    cases: [
      ['without one', () => outcomeOf(openBrowser(openService()).get('/runs'))],
      ['with a key in place of one', () => look(openService(), 'workflowlookup-console-8420=wlk_0')],
      shown('changed', (cookie) => cookie.replace(/.(?=.{9}$)/, (one) => (one === 'A' ? 'B' : 'A'))),
      shown('of another port', (cookie) => cookie.replace('8420', '8421')),
      shown('ended', async (cookie, browser) => {
        await browser.send('POST', '/sign-out');
        return cookie;
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
    comes: 'the console from a page of another origin; what changes something without its header',
    answered: '403',
    cases: [
      signOut('from another site', { 'sec-fetch-site': 'cross-site', ...own }),
      signOut('from another port', { 'sec-fetch-site': 'same-site', ...own }),
      signOut('from the origin of another port', { origin: 'http://127.0.0.1:9', ...own }),
      signOut('from another origin, to read', { origin: 'http://localhost:8420' }, 'GET'),
      signOut('without its header', {}),
      signOut('with another value of it', { 'x-workflowlookup-console': '0' }),
    ],
  },
  {
    comes: 'an answer or a definition to save, in the console, without the scopes',
    answered: '403',
    cases: [lacking('an answer', 'POST', '/runs/x/answer'), lacking('a definition', 'PUT', '/text')],
  },
  {
    comes: 'the run of another principal, in the console: to look, to keep, to answer',
    answered: '404',
    cases: [
      bobs('to look', 'GET', ''),
      bobs('to read its events', 'GET', '/events'),
      bobs('to keep', 'GET', '/export'),
      bobs('to answer', 'POST', '/answer'),
    ],
  },
  {
    comes: 'a file that is none of a definition, or out of its source, in the console',
    answered: '403',
    cases: [
      file('a folder up', '../state/sessions.db'),
      file('the root', '/etc/passwd'),
      file('a hidden one', '.git/config.json'),
      file('a folder up in the middle', 'a/../../x.json'),
      file('with backslashes', '..\\x.json'),
      file('with a zero byte', 'x.json\0.json'),
    ],
  },
];
