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
import type { NetworkOptions } from './network-options.ts';
import { networkFlags, readNetworkFlags } from './network-options.ts';
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

const flags = {
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

/** Reads the command line and the environment. What this release can't do is refused, never ignored. */
export function readOptions(args: readonly string[], env: Environment): Request {
  if (args[0] === 'keys') {
    const request = readKeysOptions(args.slice(1), env);
    return typeof request === 'string' ? refused(request) : { kind: 'keys', request };
  }
  const line = parseCommandLine({ args: [...args], options: flags, strict: true });
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
