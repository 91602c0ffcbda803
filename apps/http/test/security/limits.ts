import { bearer, openService, rpc } from '../support/service.ts';
import type { Outcome } from './outcome.ts';
import { outcomeOf } from './outcome.ts';
import type { Row } from './row.ts';

const ping = rpc('ping');

async function tooOften(): Promise<Outcome> {
  const service = openService('--auth', 'keys', '--rate-limit', '1');
  const ann = bearer(await service.key({ principal: 'ann', scopes: ['read'] }));
  for (let at = 0; at < 3; at += 1) await service.post(ping, ann);
  return outcomeOf(service.post(ping, ann));
}

async function moreThanItsShare(): Promise<Outcome> {
  const service = openService('--auth', 'keys', '--max-requests', '4');
  const ann = bearer(await service.key({ principal: 'ann', scopes: ['read'] }));
  const [, second] = await Promise.all([service.post(ping, ann), service.post(ping, ann)]);
  return outcomeOf(second);
}

const afterAnother = (next: string) => async (): Promise<Outcome> => {
  const service = openService('--auth', 'keys', '--auth-failures', '1');
  await service.post(ping, bearer('wrong'));
  return outcomeOf(service.post(ping, bearer(next)));
};

/** Sends a batch of calls in a session of 2025-03-26, the revision with batches. */
async function batch(length: number, ...flags: readonly string[]): Promise<Outcome> {
  const service = openService('--auth', 'keys', ...flags);
  const ann = bearer(await service.key({ principal: 'ann', scopes: ['read'] }));
  const session = await service.open(ann, '2025-03-26');
  const calls = Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
  return outcomeOf(service.post(calls, session));
}

/** Requests over the limits of the server. */
export const limitRows: readonly Row[] = [
  {
    comes: 'more requests of one principal, per second or at once, than its limit',
    answered: '429 with `Retry-After`',
    cases: [
      ['per second', tooOften],
      ['at once', moreThanItsShare],
      ['per second, in a batch', () => batch(20, '--rate-limit', '5')],
      ['per second, in a batch after another call', () => batch(15, '--rate-limit', '5')],
      ['at once, in a batch', () => batch(20, '--max-requests', '40')],
    ],
  },
  {
    comes:
      'a wrong credential that was sent too often, or that comes from an address that has sent too many wrong credentials',
    answered: '429 with `Retry-After`',
    cases: [
      ['the same one', afterAnother('wrong')],
      ['another one', afterAnother('wrong-too')],
    ],
  },
  {
    comes: 'a batch of more than 100 messages',
    answered: '400',
    cases: [['101 calls', () => batch(101)]],
  },
  {
    comes: 'more requests at once than the server accepts',
    answered: '503 with `Retry-After`',
    cases: [
      ['one, if the server accepts none', () => outcomeOf(openService('--max-requests', '0').post(ping))],
    ],
  },
];
