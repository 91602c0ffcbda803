import { messages } from '../messages.ts';
import type { RpcError, RpcRequest } from './rpc-messages.ts';
import { invalidParams, invalidRequest, isRecord, rpcCodes } from './rpc-messages.ts';

/** The protocol revisions that `initialize` can open, in ascending order. */
export const legacyVersions: readonly string[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

/** The only revision that allows batches. */
export const batchVersion = '2025-03-26';

/** The maximum number of messages in a batch. */
export const maxBatch = 100;

/** Revisions from this date on have no sessions: every request names its own revision. */
export const firstModernVersion = '2026-01-01';

/** The `_meta` key with the protocol revision of a request, since 2026-07-28. */
const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** The first revision whose streams begin with an empty event, so that clients can resume them from the start. */
export const firstPrimedVersion = '2025-11-25';

/** The phase of a connection: not yet initialized, a legacy session, or closing. */
export type Phase =
  | { readonly kind: 'new' }
  | { readonly kind: 'legacy'; readonly version: string; readonly canElicit: boolean }
  | { readonly kind: 'closing' };

/** Which protocol revisions `initialize` accepts, and what it does with others. */
export interface VersionPolicy {
  /** The accepted revisions, in ascending order. */
  readonly versions: readonly string[];
  /** Whether another revision is an error, or answered with the newest accepted one. */
  readonly onUnsupported: 'reject' | 'negotiate';
}

type Route =
  | { readonly kind: 'refuse'; readonly error: RpcError }
  | { readonly kind: 'initialize'; readonly version: string }
  /** Answer at once with an empty result. */
  | { readonly kind: 'acknowledge' }
  | { readonly kind: 'shutdown' }
  /** Run with the tool runner, in the order received; only in legacy sessions. */
  | { readonly kind: 'tool' }
  /** Pass to the SDK, in the order received. */
  | { readonly kind: 'ordered' }
  /** Pass to the SDK at once, because the request names its own revision. */
  | { readonly kind: 'concurrent' };

/**
 * Decides how a request is handled in this phase. The caller keeps the phase.
 *
 * @see docs/decisions/0001-front-door.md
 */
export function route(
  request: RpcRequest,
  phase: Phase,
  policy: VersionPolicy & { readonly toolNames: ReadonlySet<string> },
): Route {
  const { method } = request;
  if (phase.kind === 'closing') return refuse(rpcCodes.serverError, 'Server is shutting down');
  if (namesVersion(request)) return { kind: 'concurrent' };
  if (method === 'initialize') return initialize(request, phase, policy);
  if (method === 'ping') return { kind: 'acknowledge' };
  if (phase.kind === 'new') return refuse(rpcCodes.serverError, 'Server not initialized');
  if (method === 'shutdown') return { kind: 'shutdown' };
  if (method === 'logging/setLevel') return setLogLevel(request);
  return { kind: isToolMethod(method, policy.toolNames) ? 'tool' : 'ordered' };
}

/** The MCP methods for tools. Besides these, the name of each tool is a method. */
const toolMethods: ReadonlySet<string> = new Set(['tools/list', 'tools/call']);

function isToolMethod(method: string, toolNames: ReadonlySet<string>): boolean {
  return toolNames.has(method) || (toolNames.size > 0 && toolMethods.has(method));
}

const logLevels: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Accepts any valid log level, because the server sends clients no log messages. */
function setLogLevel({ params = {} }: RpcRequest): Route {
  if (logLevels.some((level) => level === params['level'])) return { kind: 'acknowledge' };
  return { kind: 'refuse', error: invalidParams(messages.wrongLogLevel(logLevels)) };
}

/** Returns whether a request names its own protocol revision, as it does since 2026-07-28. */
export function namesVersion({ params }: { readonly params?: Readonly<Record<string, unknown>> }): boolean {
  const meta = params?.['_meta'];
  return typeof meta === 'object' && meta !== null && versionKey in meta;
}

function initialize(
  { params = {} }: RpcRequest,
  phase: Phase,
  { versions, onUnsupported }: VersionPolicy,
): Route {
  if (phase.kind !== 'new') return { kind: 'refuse', error: invalidRequest(messages.alreadyInitialized()) };
  const details = initializeProblem(params);
  if (details !== undefined) return { kind: 'refuse', error: invalidParams(details) };
  const requestedVersion = params['protocolVersion'] as string;
  if (versions.includes(requestedVersion)) return { kind: 'initialize', version: requestedVersion };
  const newest = versions.at(-1);
  if (onUnsupported === 'negotiate' && newest !== undefined) return { kind: 'initialize', version: newest };
  return refuse(rpcCodes.serverError, 'Unsupported protocol version', {
    supportedVersions: versions,
    requestedVersion,
  });
}

function initializeProblem(params: Readonly<Record<string, unknown>>): string | undefined {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (protocolVersion === undefined) return messages.fieldRequired('protocolVersion');
  if (typeof protocolVersion !== 'string') return messages.fieldMustBe('protocolVersion', 'a string');
  if (capabilities === undefined) return messages.fieldRequired('capabilities');
  if (!isRecord(capabilities)) return messages.fieldMustBe('capabilities', 'an object');
  if (clientInfo !== undefined && !isRecord(clientInfo))
    return messages.fieldMustBe('clientInfo', 'an object');
  return undefined;
}

function refuse(code: number, message: string, data?: unknown): Route {
  return { kind: 'refuse', error: { code, message, ...(data === undefined ? {} : { data }) } };
}
