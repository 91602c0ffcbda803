import { createHmac } from 'node:crypto';
import type { AuthorizationServer } from '../support/authorization-server.ts';
import { resource, startAuthorizationServer } from '../support/authorization-server.ts';
import type { TestService } from '../support/service.ts';
import { bearer, openService, rpc } from '../support/service.ts';
import type { Outcome } from './outcome.ts';
import { outcomeOf } from './outcome.ts';
import type { Case, Row } from './row.ts';

let issuer: AuthorizationServer;
let stranger: AuthorizationServer;

/** Starts the authorization servers that the cases use. Returns a function that stops them. */
export async function startIssuers(): Promise<() => Promise<unknown>> {
  [issuer, stranger] = await Promise.all([startAuthorizationServer(), startAuthorizationServer()]);
  return () => Promise.all([issuer.close(), stranger.close()]);
}

/** Opens a server that accepts the tokens of an authorization server. */
function openGuarded({ issuer: url }: AuthorizationServer): TestService {
  return openService('--auth', 'oauth', '--oauth-issuer', url, '--public-url', new URL(resource).origin);
}

/** Returns a case that sends a request with an access token, which can be a changed one. */
const token = (what: string, tokenOf: () => Promise<string>): Case => [
  what,
  async () => outcomeOf(openGuarded(issuer).post(rpc('ping'), bearer(await tokenOf()))),
];

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

async function ofIssuerThatIsGone(): Promise<Outcome> {
  const gone = await startAuthorizationServer();
  const good = await gone.token();
  await gone.close();
  return outcomeOf(openGuarded(gone).post(rpc('ping'), bearer(good)));
}

async function startWith(scope: string): Promise<Outcome> {
  const service = openGuarded(issuer);
  const session = await service.open(bearer(await issuer.token({ scope })));
  return outcomeOf(service.post(rpc('start_session', { agent_id: 'a' }), session));
}

/** Access tokens without the required scope. They are in the same row as API keys without it. */
export const scopelessTokens: readonly Case[] = [
  token('an access token without scopes', () => issuer.token({ scope: '' })),
  ['an access token with only the scope read', () => startWith('read')],
];

/** Access tokens that are not accepted. */
export const accessTokenRows: readonly Row[] = [
  {
    comes:
      'an ID token. An access token of another issuer or audience; one that is expired, not yet valid, or without an expiry time or `sub`; one that was changed, or is unsigned, or was signed with another key or a publicly known secret; one that is bound to a key of its sender (`cnf`)',
    answered: '401 with the reason',
    cases: [
      token('another audience', () => issuer.token({ resource: 'https://other.example' })),
      token('no audience', () => issuer.sign({ aud: undefined })),
      token('another issuer', () => stranger.token()),
      token('the name of the issuer, signed with another key', () => stranger.sign({ iss: issuer.issuer })),
      token('an expiry time in the past', () => issuer.sign({ exp: inSeconds(-60) })),
      token('a start time in the future', () => issuer.sign({ nbf: inSeconds(600) })),
      token('no expiry time', () => issuer.sign({ exp: undefined })),
      token('no subject', () => issuer.sign({ sub: undefined })),
      token('a changed payload', async () => changed(await issuer.token())),
      token('no signature', async () => unsigned(await issuer.token())),
      token('a signature with a publicly known secret', async () => signedByHmac(await issuer.token())),
      token('the type of an ID token', () => issuer.sign({}, { typ: 'JWT' })),
      token('no type', () => issuer.sign({}, { typ: undefined })),
      token('a type that begins like the right one', () => issuer.sign({}, { typ: 'at+jwt2' })),
      token('a client instead of a subject', () => issuer.sign({ sub: undefined, client_id: 'admin' })),
      token('no client', () => issuer.sign({ client_id: undefined })),
      token('no id', () => issuer.sign({ jti: undefined })),
      token('no issue time', () => issuer.sign({ iat: undefined })),
      token('a binding to a key of its sender', () => issuer.sign({ cnf: { jkt: 'abc' } })),
      token('a binding to a certificate of its sender', () => issuer.sign({ cnf: { 'x5t#S256': 'abc' } })),
      token('a nonce, as in an ID token', () => issuer.sign({ nonce: 'n' })),
      token('three invalid parts', () => Promise.resolve('a.b.c')),
    ],
  },
  {
    comes: "an access token while the keys of its issuer can't be fetched",
    answered: '503 with `Retry-After`',
    cases: [['of an issuer that has stopped', ofIssuerThatIsGone]],
  },
];

type Parts = readonly [head: string, payload: string, signature: string];

function partsOf(text: string): Parts {
  const [head = '', payload = '', signature = ''] = text.split('.');
  return [head, payload, signature];
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (text: string): object => JSON.parse(Buffer.from(text, 'base64url').toString()) as object;

function changed(good: string): string {
  const [head, payload, signature] = partsOf(good);
  return [head, encode({ ...decode(payload), sub: 'admin' }), signature].join('.');
}

function unsigned(good: string): string {
  const [head, payload] = partsOf(good);
  return `${encode({ ...decode(head), alg: 'none' })}.${payload}.${'a'.repeat(4)}`;
}

function signedByHmac(good: string): string {
  const [head, payload] = partsOf(good);
  const body = `${encode({ ...decode(head), alg: 'HS256' })}.${payload}`;
  return `${body}.${createHmac('sha256', 'public').update(body).digest('base64url')}`;
}
