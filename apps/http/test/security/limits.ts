import { bearer, openService, rpc } from '../service.ts';
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

async function afterWrongOnes(): Promise<Outcome> {
  const service = openService('--auth', 'keys', '--auth-failures', '1');
  const good = bearer(await service.key({ principal: 'ann', scopes: ['read'] }));
  await service.post(ping, bearer('wrong'));
  return outcomeOf(service.post(ping, good));
}

/** More than a server takes. */
export const limitRows: readonly Row[] = [
  {
    comes: 'more requests of a principal, a second or at once, than it may make',
    answered: '429 with `Retry-After`',
    cases: [
      ['a second', tooOften],
      ['at once', moreThanItsShare],
    ],
  },
  {
    comes: 'a credential, good or not, from an address that has sent too many wrong ones',
    answered: '429 with `Retry-After`',
    cases: [['a good one', afterWrongOnes]],
  },
  {
    comes: 'more requests at once than the server takes',
    answered: '503 with `Retry-After`',
    cases: [['one, where none are taken', () => outcomeOf(openService('--max-requests', '0').post(ping))]],
  },
];
