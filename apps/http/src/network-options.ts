import type { Environment } from '@workflowlookup/host/flags';
import type { AddressRange } from './guards/addresses.ts';
import { isLoopback, readRange } from './guards/addresses.ts';
import type { SessionQuotaOptions } from './guards/rate-limit.ts';
import { optionMessages } from './messages.ts';

/** Returns whether nobody else can read what is sent to this address, because it uses TLS or stays on this machine. */
function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** The address for messages, and the secret that signs them. */
export interface WebhookOptions {
  readonly url: string;
  /** In the format of Standard Webhooks: base64, with or without the prefix `whsec_`. */
  readonly secret: string;
}

const variable = 'WORKFLOWLOOKUP_WEBHOOK_SECRET';

/** Reads the flag and the variable; a text says what is wrong. An address may hold a secret, so it is not repeated. */
function readWebhook(
  url: string | undefined,
  { [variable]: secret = '' }: Environment,
): { readonly webhook?: WebhookOptions } | string {
  if (url === undefined) return {};
  if (!isSafeUrl(url)) return optionMessages.wrongWebhook();
  if (!/^(whsec_)?[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) return optionMessages.noWebhookSecret(variable);
  return { webhook: { url, secret } };
}

export const networkFlags = {
  port: { type: 'string' },
  host: { type: 'string' },
  'allowed-host': { type: 'string', multiple: true },
  'allowed-origin': { type: 'string', multiple: true },
  auth: { type: 'string', multiple: true },
  'oauth-issuer': { type: 'string' },
  'oauth-audience': { type: 'string' },
  'oauth-client-id': { type: 'string' },
  'oauth-typ': { type: 'string' },
  'public-url': { type: 'string' },
  'rate-limit': { type: 'string' },
  'auth-failures': { type: 'string' },
  'trusted-proxy': { type: 'string', multiple: true },
  'max-body-bytes': { type: 'string' },
  'max-requests': { type: 'string' },
  'max-sessions': { type: 'string' },
  'max-streams': { type: 'string' },
  'session-rate': { type: 'string' },
  'max-open-sessions': { type: 'string' },
  'drain-seconds': { type: 'string' },
  'notice-seconds': { type: 'string' },
  'no-console': { type: 'boolean' },
  webhook: { type: 'string' },
} as const;

type NetworkFlags = {
  readonly [Name in keyof typeof networkFlags]?: (typeof networkFlags)[Name] extends { multiple: true }
    ? readonly string[]
    : (typeof networkFlags)[Name] extends { type: 'boolean' }
      ? boolean
      : string;
};

export interface NetworkOptions extends SessionQuotaOptions {
  readonly port: number;
  readonly address: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Whether API keys count. */
  readonly keys: boolean;
  /** Whether the address of `/mcp` has a token. It does if no credential is needed, unless that was turned off. */
  readonly addressToken: boolean;
  readonly oauth?: {
    readonly issuer: string;
    readonly audience: string;
    readonly resource: string;
    /** Whether tokens must say that they are access tokens. */
    readonly typ: 'at+jwt' | 'any';
    /** The client id of the console there. Without it, nobody can sign in to the console that way. */
    readonly client?: { readonly id: string; readonly secret?: string };
  };
  /** The webhook for new checkpoints. */
  readonly webhook?: WebhookOptions;
  readonly console: boolean;
  /** The public address of the server, without a path. */
  readonly publicUrl?: string;
  /** Requests a second for each principal; 0 is no limit. */
  readonly rateLimit: number;
  /** Wrong credentials a minute from one address; 0 is no limit. */
  readonly authFailures: number;
  /** Whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly AddressRange[];
  readonly maxRequests: number;
  readonly maxBodyBytes: number;
  readonly maxSessions: number;
  readonly maxStreams: number;
  readonly drainMs: number;
  /** How long `/readyz` says 503 before the port closes. */
  readonly noticeMs: number;
}

/** Flags that take a number, and what they are without. */
const numbers = {
  port: 8420,
  'auth-failures': 30,
  'max-body-bytes': 10_000_000,
  'max-requests': 512,
  'max-sessions': 1000,
  'max-streams': 1000,
  'drain-seconds': 10,
  'notice-seconds': 2,
} as const;

type NumberFlag = keyof typeof numbers;

/** Reads the flags of the network, and the variables that go with them; a text says what is wrong with one. */
export function readNetworkFlags(flags: NetworkFlags, env: Environment): NetworkOptions | string {
  const wrong = wrongNumber(flags);
  if (wrong !== undefined) return optionMessages.wrongNumber(wrong, mostOf(wrong), flags[wrong]);
  const auth = readAuth(flags, env);
  if (typeof auth === 'string') return auth;
  const webhook = readWebhook(flags.webhook, env);
  if (typeof webhook === 'string') return webhook;
  const trustedProxies = readProxies(flags['trusted-proxy']);
  if (typeof trustedProxies === 'string') return trustedProxies;
  const address = flags.host ?? '127.0.0.1';
  const { 'allowed-host': allowedHosts = [], 'allowed-origin': allowedOrigins = [] } = flags;
  const isGuarded = auth.keys || auth.oauth !== undefined;
  const unsafe = missingFor(address, isGuarded, allowedHosts);
  if (unsafe !== undefined) return unsafe;
  return {
    address,
    allowedHosts,
    allowedOrigins,
    ...auth,
    console: flags['no-console'] !== true,
    ...webhook,
    trustedProxies,
    ...readQuotas(flags, isGuarded),
    ...readNumbers(flags),
  };
}

/** Limits of each principal: without credentials there is one, and it is everybody. */
const quotas = { 'rate-limit': 100, 'session-rate': 600, 'max-open-sessions': 10_000 } as const;

type QuotaFlag = keyof typeof quotas;

function readQuotas(
  flags: NetworkFlags,
  isGuarded: boolean,
): Pick<NetworkOptions, 'rateLimit' | keyof SessionQuotaOptions> {
  const numberOf = (flag: QuotaFlag): number => Number(flags[flag] ?? (isGuarded ? quotas[flag] : 0));
  return {
    rateLimit: numberOf('rate-limit'),
    sessionRate: numberOf('session-rate'),
    maxOpenSessions: numberOf('max-open-sessions'),
  };
}

function readNumbers(
  flags: NetworkFlags,
): Pick<
  NetworkOptions,
  | 'port'
  | 'authFailures'
  | 'maxRequests'
  | 'maxBodyBytes'
  | 'maxSessions'
  | 'maxStreams'
  | 'drainMs'
  | 'noticeMs'
> {
  const numberOf = (flag: NumberFlag): number => Number(flags[flag] ?? numbers[flag]);
  return {
    port: numberOf('port'),
    authFailures: numberOf('auth-failures'),
    maxRequests: numberOf('max-requests'),
    maxBodyBytes: numberOf('max-body-bytes'),
    maxSessions: numberOf('max-sessions'),
    maxStreams: numberOf('max-streams'),
    drainMs: numberOf('drain-seconds') * 1000,
    noticeMs: numberOf('notice-seconds') * 1000,
  };
}

function wrongNumber(flags: NetworkFlags): NumberFlag | QuotaFlag | undefined {
  const names = [...(Object.keys(numbers) as NumberFlag[]), ...(Object.keys(quotas) as QuotaFlag[])];
  return names.find((flag) => {
    const text = flags[flag] ?? '0';
    return !/^\d{1,9}$/.test(text) || Number(text) > mostOf(flag);
  });
}

function mostOf(flag: NumberFlag | QuotaFlag): number {
  return flag === 'port' ? 65_535 : 999_999_999;
}

function readProxies(texts: readonly string[] = []): readonly AddressRange[] | string {
  const ranges = texts.map((text) => readRange(text) ?? text);
  const wrong = ranges.find((range) => typeof range === 'string');
  if (wrong !== undefined) return optionMessages.wrongProxy(wrong);
  return ranges.filter((range) => typeof range !== 'string');
}

function readAuth(
  flags: NetworkFlags,
  env: Environment,
): Pick<NetworkOptions, 'keys' | 'addressToken' | 'oauth' | 'publicUrl'> | string {
  const publicUrl = flags['public-url'];
  if (publicUrl !== undefined && !isSafeUrl(publicUrl))
    return optionMessages.wrongUrl('public-url', publicUrl);
  const kinds = flags.auth ?? ['none'];
  const unknown = kinds.find((kind) => !['none', 'open', 'keys', 'oauth'].includes(kind));
  if (unknown !== undefined) return optionMessages.wrongAuth(unknown);
  const without = kinds.find((kind) => kind === 'none' || kind === 'open');
  if (without !== undefined && kinds.length > 1) return optionMessages.authNotAlone(without);
  const keys = kinds.includes('keys');
  const found = { keys, addressToken: without === 'none', ...(publicUrl !== undefined && { publicUrl }) };
  if (!kinds.includes('oauth')) return found;
  const oauth = readOAuth(flags, env);
  return typeof oauth === 'string' ? oauth : { ...found, oauth };
}

/** Returns what is missing to expose the server to other machines. */
function missingFor(address: string, hasAuth: boolean, hosts: readonly string[]): string | undefined {
  if (isLoopback(address)) return undefined;
  if (!hasAuth) return optionMessages.needsAuth(address);
  return hosts.length === 0 ? optionMessages.needsHosts(address) : undefined;
}

function readOAuth(
  flags: NetworkFlags,
  { WORKFLOWLOOKUP_OAUTH_CLIENT_SECRET: secret = '' }: Environment,
): NonNullable<NetworkOptions['oauth']> | string {
  const { 'oauth-issuer': issuer, 'public-url': publicUrl } = flags;
  if (issuer === undefined || publicUrl === undefined) return optionMessages.oauthIncomplete();
  if (!isSafeUrl(issuer)) return optionMessages.wrongUrl('oauth-issuer', issuer);
  const typ = flags['oauth-typ'] ?? 'at+jwt';
  if (typ !== 'at+jwt' && typ !== 'any') return optionMessages.wrongTokenType(typ);
  const resource = `${publicUrl.replace(/\/$/, '')}/mcp`;
  const id = flags['oauth-client-id'];
  const client = id === undefined ? {} : { client: { id, ...(secret !== '' && { secret }) } };
  return { issuer, resource, audience: flags['oauth-audience'] ?? resource, typ, ...client };
}
