import type { NewApiKey } from '@workflowlookup/host';
import { runKeysCommand } from '../../src/keys-command.ts';
import type { Headers, TestService } from '../support/service.ts';
import { bearer, openService, rpc } from '../support/service.ts';
import { scopelessTokens } from './access-tokens.ts';
import type { Outcome } from './outcome.ts';
import { outcomeOf } from './outcome.ts';
import type { Case, Row } from './row.ts';

const agent: NewApiKey = { principal: 'ann', scopes: ['read', 'write'] };
const nobody = `wlk_${'0'.repeat(12)}_${'a'.repeat(43)}`;

/** Returns a case that sends a request with these headers to `/mcp` of a server with API keys. */
const shown = (what: string, headersOf: (service: TestService) => Headers | Promise<Headers>): Case => [
  what,
  async () => {
    const service = openService('--auth', 'keys');
    return outcomeOf(service.fetch('/mcp', { headers: await headersOf(service) }));
  },
];

async function revokedKey({ state, key }: TestService): Promise<string> {
  const secret = await key(agent);
  const [, id = ''] = secret.split('_');
  await runKeysCommand({ action: 'revoke', id, place: { stateDirectory: state } });
  return secret;
}

async function inTheAddress(): Promise<Outcome> {
  const service = openService('--auth', 'keys');
  const key = await service.key(agent);
  return outcomeOf(service.fetch(`/mcp?access_token=${key}&api_key=${key}`));
}

/** Returns a case that sends a message with a key that has these scopes. */
const scoped = (what: string, scopes: NewApiKey['scopes'], body: object): Case => [
  what,
  async () => {
    const service = openService('--auth', 'keys');
    const headers = bearer(await service.key({ principal: 'ann', scopes }));
    return outcomeOf(service.post(body, scopes.includes('read') ? await service.open(headers) : headers));
  },
];

const start = { agent_id: 'a', workflow_id: 'review-flow' };

/** Credentials that are not accepted, or not for this request. */
export const credentialRows: readonly Row[] = [
  {
    comes:
      'no credential; an unknown, changed, expired or revoked one; two credentials; a credential in the URL, in another header or with another scheme',
    answered: '401 with a challenge',
    cases: [
      shown('none', () => ({})),
      ['none, for /metrics', () => outcomeOf(openService('--auth', 'keys').fetch('/metrics'))],
      shown('an unknown key', () => bearer(nobody)),
      shown('a text that is not a key', () => bearer('abc')),
      shown('a key with one character changed', async ({ key }) =>
        bearer((await key(agent)).replace(/.$/, '-')),
      ),
      shown('an expired key', async ({ expiredKey }) => bearer(await expiredKey(agent))),
      shown('a revoked key', async (service) => bearer(await revokedKey(service))),
      shown('two keys', async ({ key }) => ({
        authorization: `Bearer ${await key(agent)}, Bearer ${await key(agent)}`,
      })),
      ['a key in the URL', inTheAddress],
      shown('a key in another header', async ({ key }) => ({ 'x-api-key': await key(agent) })),
      shown('a key with another scheme', async ({ key }) => ({ authorization: `Basic ${await key(agent)}` })),
    ],
  },
  {
    comes: 'a credential without the required scope',
    answered: '403 that names every scope the request needs',
    cases: [
      scoped('a key with only the scope checkpoints:respond', ['checkpoints:respond'], rpc('ping')),
      scoped('a direct method with only the scope read', ['read'], rpc('start_session', start)),
      scoped(
        'a tool with only the scope read',
        ['read'],
        rpc('tools/call', { name: 'start_session', arguments: start }),
      ),
      ...scopelessTokens,
    ],
  },
];
