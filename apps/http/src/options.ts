import type { HostOptions, NewApiKey, Scope } from '@workflowlookup/host';
import type { Environment } from '@workflowlookup/host/flags';
import {
  environmentUsage,
  hostFlags,
  parseCommandLine,
  readHostFlags,
  readStateFlags,
  readSwitch,
  sessionsUsage,
  sourcesUsage,
  wrongWord,
} from '@workflowlookup/host/flags';
import type { ToolSetName } from '@workflowlookup/mcp';
import { toolSetNames } from '@workflowlookup/mcp';
import type { AddressRange, SessionQuotaOptions } from './guards.ts';
import { isLoopback, readRange } from './guards.ts';
import { optionMessages } from './messages.ts';

export type KeysAction =
  | { readonly action: 'create'; readonly key: NewApiKey }
  | { readonly action: 'list'; readonly asJson?: boolean }
  | { readonly action: 'revoke'; readonly id: string };

export type KeysRequest = KeysAction & {
  readonly place: Pick<HostOptions, 'stateDirectory' | 'database' | 'audit' | 'environment'>;
};

const keysFlags = {
  principal: { type: 'string' },
  scope: { type: 'string', multiple: true },
  expires: { type: 'string' },
  state: { type: 'string' },
  database: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Reads what follows `keys`; a text says what is wrong with it. */
function readKeysOptions(args: readonly string[], env: Environment): KeysRequest | string {
  const parsed = parseCommandLine({
    args: [...args],
    options: keysFlags,
    strict: true,
    allowPositionals: true,
  });
  if (typeof parsed === 'string') return parsed;
  const {
    values,
    positionals: [action, id, ...rest],
  } = parsed;
  const found = readStateFlags(values, env);
  if (typeof found === 'string') return found;
  const place = { ...found, environment: env };
  if (action !== 'list' && values.json === true) return optionMessages.jsonOnlyForList();
  if (action === 'revoke' && id !== undefined && rest.length === 0) return { action, id, place };
  if (id !== undefined || (action !== 'list' && action !== 'create')) return optionMessages.wrongKeysAction();
  if (action === 'list') return { action, ...(values.json === true && { asJson: true }), place };
  const key = readWanted(values);
  return typeof key === 'string' ? key : { action, key, place };
}

function readWanted({
  principal,
  scope = [],
  expires,
}: {
  readonly principal?: string;
  readonly scope?: readonly string[];
  readonly expires?: string;
}): NewApiKey | string {
  if (principal === undefined || scope.length === 0) return optionMessages.keyIncomplete();
  // An unknown scope is refused when the key is created.
  const scopes = scope.flatMap((one) => one.split(',')) as Scope[];
  return { principal, scopes, ...(expires !== undefined && { expiresAt: expires }) };
}

const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const protocols = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;

/** What `--help` says of traces. */
const telemetryUsage = `  --telemetry       send traces by OTLP over HTTP; set the address and other options
                    with the OTEL_… environment variables
`;

/** Returns whether tracing is configured, or what is wrong with its configuration. */
function readTelemetry(flag: boolean | undefined, env: Environment): boolean | string {
  const isAsked = flag === true || readSwitch(env, 'WORKFLOWLOOKUP_TELEMETRY', false);
  return isAsked === true ? (wrongVariable(env) ?? true) : isAsked;
}

/** Finds mistakes that the exporter would ignore. An endpoint may contain a password, so it is not repeated. */
function wrongVariable(env: Environment): string | undefined {
  const endpoint = endpoints.find((name) => !isEndpoint(env[name] ?? ''));
  if (endpoint !== undefined) return optionMessages.wrongEndpoint(endpoint);
  const protocol = protocols.find((name) => !['', 'http/json'].includes(env[name] ?? ''));
  if (protocol === undefined) return undefined;
  return optionMessages.wrongProtocol(protocol, env[protocol]);
}

function isEndpoint(text: string): boolean {
  return text === '' || (/^https?:\/\//i.test(text) && URL.canParse(text));
}

export interface ServeRequest {
  readonly kind: 'serve';
  readonly host: HostOptions;
  readonly tools: ToolSetName;
  readonly network: NetworkOptions;
  readonly telemetry: boolean;
}

/** The request read from the command line and the environment. */
type Request =
  | ServeRequest
  | { readonly kind: 'keys'; readonly request: KeysRequest }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  /** Something that can't be done, said in one line. */
  | { readonly kind: 'refused'; readonly reason: string };

const networkFlags = {
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

const allFlags = {
  ...hostFlags,
  ...networkFlags,
  tools: { type: 'string' },
  writable: { type: 'string', multiple: true },
  telemetry: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** What `--help` prints. */
export const usage = `Usage: workflowlookup-http [options]
       workflowlookup-http keys create --principal NAME --scope SCOPE... [--expires WHEN]
       workflowlookup-http keys list [--json]
       workflowlookup-http keys revoke ID
  (keys also accepts --state and --database)

Serves workflows to many agents over Streamable HTTP (MCP), at /mcp.

Options:
  --port N          port (default 8420; 0 selects a free port)
  --host ADDRESS    address to listen on (default 127.0.0.1); an address that other
                    machines can reach requires --auth and --allowed-host
  --allowed-host H  host name that clients use to reach the server; repeatable
  --allowed-origin O
                    origin of web pages that may send requests; repeatable
${sourcesUsage}  --tools SET       extended (default), all (those of the specification), lookup (no sessions) or sessions
  --no-console      do not serve the pages for people, at /console
  --webhook URL     address to notify when a checkpoint needs an answer; messages are
                    signed with WORKFLOWLOOKUP_WEBHOOK_SECRET
  --writable DIR    a directory of definitions that the console may save to;
                    repeatable
  -h, --help        print this
  -v, --version     print the version

Credentials:
  --auth KIND       none (default; the address of /mcp has a token), open (no
                    token: any program on this machine can connect), keys (API keys)
                    or oauth (access tokens); repeatable
  --oauth-issuer URL
                    the authorization server whose tokens are accepted
  --oauth-audience URI
                    the audience that tokens must have (default: the public URL of /mcp)
  --oauth-typ TYP   at+jwt (default): tokens must say that they are access tokens, as
                    RFC 9068 requires; any: for issuers that set no type
  --oauth-client-id ID
                    client id of the console at the authorization server, so that
                    people sign in to the console there
  --public-url URL  address that clients use to reach the server, without /mcp

Limits:
  --rate-limit N    requests per second for each principal, 0 for no limit
                    (default 100 with credentials, otherwise 0)
  --session-rate N          sessions per minute that each principal may start, 0 for
                            no limit (default 600 with credentials, otherwise 0)
  --max-open-sessions N     sessions of each principal that are not completed, 0 for
                            no limit (default 10000 with credentials, otherwise 0)
  --auth-failures N         wrong credentials per minute from one address, 0 for no
                            limit (default 30)
  --trusted-proxy ADDRESS   a proxy or range of proxies whose X-Forwarded-For header
                            gives the address of the client; repeatable
  --max-body-bytes N        maximum bytes of one message (default 10000000)
  --max-requests N          concurrent requests (default 512)
  --max-sessions N          concurrent MCP sessions (default 1000)
  --max-streams N           concurrent streams (default 1000)
  --notice-seconds N        on shutdown, seconds that /readyz returns 503 before the
                            port closes (default 2)
  --drain-seconds N         then, seconds for open requests to finish (default 10)

Sessions:
${sessionsUsage}
Traces:
${telemetryUsage}
Environment:
${environmentUsage}  WORKFLOWLOOKUP_TELEMETRY    true: same as --telemetry
  WORKFLOWLOOKUP_WEBHOOK_SECRET
                              secret that signs the messages to --webhook, in base64
  WORKFLOWLOOKUP_OAUTH_CLIENT_SECRET
                              client secret for --oauth-client-id, if it has one

Example:
  workflowlookup-http --port 8420 --workflows ./team-workflows
`;

/** Reads the command line and the environment. Unknown or invalid options are refused, never ignored. */
export function readOptions(args: readonly string[], env: Environment): Request {
  if (args[0] === 'keys') {
    const request = readKeysOptions(args.slice(1), env);
    return typeof request === 'string' ? refused(request) : { kind: 'keys', request };
  }
  const line = parseCommandLine({ args: [...args], options: allFlags, strict: true });
  if (typeof line === 'string') return refused(line);
  const parsed = line.values;
  if (parsed.help === true) return { kind: 'help' };
  if (parsed.version === true) return { kind: 'version' };
  const wrong = wrongWord('tools', parsed.tools, toolSetNames);
  if (wrong !== undefined) return refused(wrong);
  const host = readHostFlags(parsed, env);
  if (typeof host === 'string') return refused(host);
  const network = readNetworkFlags(parsed, env);
  if (typeof network === 'string') return refused(network);
  const telemetry = readTelemetry(parsed.telemetry, env);
  if (typeof telemetry === 'string') return refused(telemetry);
  const tools = (parsed.tools as ToolSetName | undefined) ?? 'extended';
  return { kind: 'serve', host: { ...host, writable: parsed.writable ?? [] }, network, tools, telemetry };
}

function refused(reason: string): Request {
  return { kind: 'refused', reason };
}

/** Returns whether nobody else can read what is sent to this address, because it uses TLS or stays on this machine. */
function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** The address of the webhook, and the secret that signs its messages. */
export interface WebhookOptions {
  readonly url: string;
  /** In the format of Standard Webhooks: base64, with or without the prefix `whsec_`. */
  readonly secret: string;
}

const variable = 'WORKFLOWLOOKUP_WEBHOOK_SECRET';

/**
 * Reads the webhook's flag and variable. Returns a text if something is wrong. It does not repeat the address, which
 * may contain a secret.
 */
function readWebhook(
  url: string | undefined,
  { [variable]: secret = '' }: Environment,
): { readonly webhook?: WebhookOptions } | string {
  if (url === undefined) return {};
  if (!isSafeUrl(url)) return optionMessages.wrongWebhook();
  if (!/^(whsec_)?[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) return optionMessages.noWebhookSecret(variable);
  return { webhook: { url, secret } };
}

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
  /** Names in addition to the loopback names, with a port where only that one counts. */
  readonly allowedHosts: readonly string[];
  /** Whole origins, such as `https://console.example.com`. */
  readonly allowedOrigins: readonly string[];
  /** Whether API keys are accepted. */
  readonly keys: boolean;
  /** Whether the address of `/mcp` has a token. It does if no credential is needed, unless that was turned off. */
  readonly addressToken: boolean;
  readonly oauth?: {
    readonly issuer: string;
    readonly audience: string;
    readonly resource: string;
    /** Whether tokens must say that they are access tokens. */
    readonly typ: 'at+jwt' | 'any';
    /**
     * The console's client id at the authorization server. Without it, nobody can sign in to the console through that
     * server.
     */
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
  /** The proxies whose `X-Forwarded-For` header is trusted. */
  readonly trustedProxies: readonly AddressRange[];
  readonly maxRequests: number;
  readonly maxBodyBytes: number;
  readonly maxSessions: number;
  readonly maxStreams: number;
  readonly drainMs: number;
  /** How long `/readyz` says 503 before the port closes. */
  readonly noticeMs: number;
}

/** The flags that take a number, with their defaults. */
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

/** Reads the network flags and the variables that belong to them. Returns a text if one of them is wrong. */
function readNetworkFlags(flags: NetworkFlags, env: Environment): NetworkOptions | string {
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

/** The default limits of each principal. Without credentials there is only one principal, which everybody shares. */
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
