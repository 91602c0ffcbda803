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

/** Thrown for an option that can't be used. The message says why. */
class WrongOption extends Error {}

/** Returns what was read. A text says what is wrong with it. @throws WrongOption */
function right<Read>(read: Read | string): Read {
  if (typeof read === 'string') throw new WrongOption(read);
  return read;
}

/** Reads what follows `keys`. @throws WrongOption */
function readKeysOptions(args: readonly string[], env: Environment): KeysRequest {
  const config = { args: [...args], options: keysFlags, strict: true, allowPositionals: true } as const;
  const {
    values: { principal, scope = [], expires, json, ...values },
    positionals: [action, id, ...rest],
  } = right(parseCommandLine(config));
  const place = { ...right(readStateFlags(values, env)), environment: env };
  if (action !== 'list' && json === true) throw new WrongOption(optionMessages.jsonOnlyForList());
  if (action === 'revoke' && id !== undefined && rest.length === 0) return { action, id, place };
  if (id !== undefined || (action !== 'list' && action !== 'create'))
    throw new WrongOption(optionMessages.wrongKeysAction());
  if (action === 'list') return { action, asJson: json === true, place };
  if (principal === undefined || scope.length === 0) throw new WrongOption(optionMessages.keyIncomplete());
  // An unknown scope is refused when the key is created.
  const scopes = scope.flatMap((one) => one.split(',')) as Scope[];
  return { action, key: { principal, scopes, ...(expires !== undefined && { expiresAt: expires }) }, place };
}

const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const protocols = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;

/** The part of `--help` about traces. */
const telemetryUsage = `  --telemetry       send traces by OTLP over HTTP; set the address and other options
                    with the OTEL_… environment variables
`;

/**
 * Returns whether tracing is configured. It finds mistakes that the exporter would ignore. An endpoint may contain a
 * password, so it is not repeated. @throws WrongOption
 */
function readTelemetry(flag: boolean | undefined, env: Environment): boolean {
  if (flag !== true && !right(readSwitch(env, 'WORKFLOWLOOKUP_TELEMETRY', false))) return false;
  const isEndpoint = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);
  const endpoint = endpoints.find((name) => env[name] && !isEndpoint(env[name]));
  if (endpoint !== undefined) throw new WrongOption(optionMessages.wrongEndpoint(endpoint));
  const protocol = protocols.find((name) => !['', 'http/json'].includes(env[name] ?? ''));
  if (protocol === undefined) return true;
  throw new WrongOption(optionMessages.wrongProtocol(protocol, env[protocol]));
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

const allFlags = {
  ...hostFlags,
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
  tools: { type: 'string' },
  writable: { type: 'string', multiple: true },
  telemetry: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** The text that `--help` prints. */
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
  try {
    if (args[0] === 'keys') return { kind: 'keys', request: readKeysOptions(args.slice(1), env) };
    const flags = right(parseFlags(args)).values;
    if (flags.help === true) return { kind: 'help' };
    if (flags.version === true) return { kind: 'version' };
    right(wrongWord('tools', flags.tools, toolSetNames));
    return {
      kind: 'serve',
      host: { ...right(readHostFlags(flags, env)), writable: flags.writable ?? [] },
      network: readNetworkFlags(flags, env),
      tools: (flags.tools as ToolSetName | undefined) ?? 'extended',
      telemetry: readTelemetry(flags.telemetry, env),
    };
  } catch (error) {
    if (error instanceof WrongOption) return { kind: 'refused', reason: error.message };
    throw error;
  }
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

/** Reads the webhook's flag and variable. The address may contain a secret, so it is not repeated. @throws WrongOption */
function readWebhook(
  url: string | undefined,
  { [variable]: secret = '' }: Environment,
): WebhookOptions | undefined {
  if (url === undefined) return undefined;
  if (!isSafeUrl(url)) throw new WrongOption(optionMessages.wrongWebhook());
  if (!/^(whsec_)?[A-Za-z0-9+/]{32,}={0,2}$/.test(secret))
    throw new WrongOption(optionMessages.noWebhookSecret(variable));
  return { url, secret };
}

function parseFlags(args: readonly string[]) {
  return parseCommandLine({ args: [...args], options: allFlags, strict: true });
}

type Flags = Exclude<ReturnType<typeof parseFlags>, string>['values'];

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
    /** The issuer identifier of the authorization server, as in its metadata and its tokens. */
    readonly issuer: string;
    /** The audience that the tokens must name: this server. */
    readonly audience: string;
    readonly resource: string;
    /**
     * `at+jwt` accepts only tokens of RFC 9068, whose header says that they are access tokens. `any` also accepts tokens
     * without that header, but still refuses what looks like an ID token.
     */
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
  /** How long `/readyz` answers 503 before the port closes. */
  readonly noticeMs: number;
}

/** Reads the network flags and the variables that belong to them. @throws WrongOption */
function readNetworkFlags(flags: Flags, env: Environment): NetworkOptions {
  const auth = readAuth(flags, env);
  const isGuarded = auth.keys || auth.oauth !== undefined;
  const { host: address = '127.0.0.1', 'allowed-host': allowedHosts = [] } = flags;
  if (!isLoopback(address) && !isGuarded) throw new WrongOption(optionMessages.needsAuth(address));
  if (!isLoopback(address) && allowedHosts.length === 0)
    throw new WrongOption(optionMessages.needsHosts(address));
  const webhook = readWebhook(flags.webhook, env);
  // Without credentials there is only one principal, which everybody shares, so it has no limits by default.
  const ofEach = (preset: number): number => (isGuarded ? preset : 0);
  return {
    address,
    allowedHosts,
    allowedOrigins: flags['allowed-origin'] ?? [],
    ...auth,
    console: flags['no-console'] !== true,
    ...(webhook && { webhook }),
    trustedProxies: (flags['trusted-proxy'] ?? []).map(readProxy),
    rateLimit: readNumber(flags, 'rate-limit', ofEach(100)),
    sessionRate: readNumber(flags, 'session-rate', ofEach(600)),
    maxOpenSessions: readNumber(flags, 'max-open-sessions', ofEach(10_000)),
    port: readNumber(flags, 'port', 8420, 65_535),
    authFailures: readNumber(flags, 'auth-failures', 30),
    maxBodyBytes: readNumber(flags, 'max-body-bytes', 10_000_000),
    maxRequests: readNumber(flags, 'max-requests', 512),
    maxSessions: readNumber(flags, 'max-sessions', 1000),
    maxStreams: readNumber(flags, 'max-streams', 1000),
    drainMs: readNumber(flags, 'drain-seconds', 10) * 1000,
    noticeMs: readNumber(flags, 'notice-seconds', 2) * 1000,
  };
}

/** The flags that take one text. */
type TextFlag = keyof {
  [Name in keyof Flags as NonNullable<Flags[Name]> extends string ? Name : never]: true;
};

function readNumber(flags: Flags, flag: TextFlag, preset: number, most = 999_999_999): number {
  const text = flags[flag] ?? String(preset);
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  throw new WrongOption(optionMessages.wrongNumber(flag, most, text));
}

function readProxy(text: string): AddressRange {
  const range = readRange(text);
  if (range !== undefined) return range;
  throw new WrongOption(optionMessages.wrongProxy(text));
}

function readAuth(
  flags: Flags,
  env: Environment,
): Pick<NetworkOptions, 'keys' | 'addressToken' | 'oauth' | 'publicUrl'> {
  const publicUrl = flags['public-url'];
  if (publicUrl !== undefined && !isSafeUrl(publicUrl))
    throw new WrongOption(optionMessages.wrongUrl('public-url', publicUrl));
  const kinds = flags.auth ?? ['none'];
  const unknown = kinds.find((kind) => !['none', 'open', 'keys', 'oauth'].includes(kind));
  if (unknown !== undefined) throw new WrongOption(optionMessages.wrongAuth(unknown));
  const without = kinds.find((kind) => kind === 'none' || kind === 'open');
  if (without !== undefined && kinds.length > 1) throw new WrongOption(optionMessages.authNotAlone(without));
  return {
    keys: kinds.includes('keys'),
    addressToken: without === 'none',
    ...(publicUrl !== undefined && { publicUrl }),
    ...(kinds.includes('oauth') && { oauth: readOAuth(flags, env) }),
  };
}

function readOAuth(
  flags: Flags,
  { WORKFLOWLOOKUP_OAUTH_CLIENT_SECRET: secret = '' }: Environment,
): NonNullable<NetworkOptions['oauth']> {
  const { 'oauth-issuer': issuer, 'public-url': publicUrl } = flags;
  if (issuer === undefined || publicUrl === undefined)
    throw new WrongOption(optionMessages.oauthIncomplete());
  if (!isSafeUrl(issuer)) throw new WrongOption(optionMessages.wrongUrl('oauth-issuer', issuer));
  const typ = flags['oauth-typ'] ?? 'at+jwt';
  if (typ !== 'at+jwt' && typ !== 'any') throw new WrongOption(optionMessages.wrongTokenType(typ));
  const resource = `${publicUrl.replace(/\/$/, '')}/mcp`;
  const id = flags['oauth-client-id'];
  const client = id === undefined ? {} : { client: { id, ...(secret !== '' && { secret }) } };
  return { issuer, resource, audience: flags['oauth-audience'] ?? resource, typ, ...client };
}
