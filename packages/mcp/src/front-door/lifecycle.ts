import { versionClaim } from '../versions.ts';
import type { RpcError, RpcRequest } from './json-rpc.ts';
import { isRecord, rpcCodes } from './json-rpc.ts';

/** How far a connection has come: nothing opened yet, a legacy session at a revision, or on its way out. */
export type Phase =
  | { readonly kind: 'new' }
  | { readonly kind: 'legacy'; readonly version: string; readonly canElicit: boolean }
  | { readonly kind: 'closing' };

/** Which revisions `initialize` echoes, and what becomes of others. */
export interface VersionPolicy {
  /** Ascending. */
  readonly versions: readonly string[];
  readonly onUnsupported: 'reject' | 'negotiate';
}

/** What becomes of a request. */
export type Route =
  | { readonly kind: 'refuse'; readonly error: RpcError }
  | { readonly kind: 'initialize'; readonly version: string }
  /** Answered at once, with an empty result. */
  | { readonly kind: 'acknowledge' }
  | { readonly kind: 'shutdown' }
  /** For the tool desk, in the order received; legacy sessions only. */
  | { readonly kind: 'desk' }
  /** For the SDK, in the order received. */
  | { readonly kind: 'ordered' }
  /** For the SDK, at once: the request describes itself. */
  | { readonly kind: 'concurrent' };

/**
 * Decides what becomes of a request. Pure: the connection holds the phase.
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
  if (claimsVersion(request)) return { kind: 'concurrent' };
  if (method === 'initialize') return initialize(request, phase, policy);
  if (method === 'ping') return { kind: 'acknowledge' };
  if (phase.kind === 'new') return refuse(rpcCodes.serverError, 'Server not initialized');
  if (method === 'shutdown') return { kind: 'shutdown' };
  if (method === 'logging/setLevel') return setLogLevel(request);
  return { kind: isForDesk(method, policy.toolNames) ? 'desk' : 'ordered' };
}

/** What the protocol itself asks of tools; beside these each tool is a method of its own name. */
const deskMethods: ReadonlySet<string> = new Set(['tools/list', 'tools/call']);

function isForDesk(method: string, toolNames: ReadonlySet<string>): boolean {
  return toolNames.has(method) || (toolNames.size > 0 && deskMethods.has(method));
}

const logLevels: readonly unknown[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Clients are sent no log, which keeps to every level. */
function setLogLevel({ params = {} }: RpcRequest): Route {
  if (logLevels.includes(params['level'])) return { kind: 'acknowledge' };
  return refuse(rpcCodes.invalidParams, 'Invalid params', {
    details: `level must be one of ${logLevels.join(', ')}`,
  });
}

/** Whether a request says itself which revision it speaks, as 2026-07-28 and later do. */
export function claimsVersion({ params }: { readonly params?: Readonly<Record<string, unknown>> }): boolean {
  const meta = params?.['_meta'];
  return typeof meta === 'object' && meta !== null && versionClaim in meta;
}

function initialize(
  { params = {} }: RpcRequest,
  phase: Phase,
  { versions, onUnsupported }: VersionPolicy,
): Route {
  if (phase.kind !== 'new') {
    return refuse(rpcCodes.invalidRequest, 'Invalid Request', {
      details: 'The session is initialized already',
    });
  }
  const details = describeBadOpening(params);
  if (details !== undefined) return refuse(rpcCodes.invalidParams, 'Invalid params', { details });
  const requestedVersion = params['protocolVersion'] as string;
  if (versions.includes(requestedVersion)) return { kind: 'initialize', version: requestedVersion };
  const newest = versions.at(-1);
  if (onUnsupported === 'negotiate' && newest !== undefined) return { kind: 'initialize', version: newest };
  return refuse(rpcCodes.serverError, 'Unsupported protocol version', {
    supportedVersions: versions,
    requestedVersion,
  });
}

function describeBadOpening(params: Readonly<Record<string, unknown>>): string | undefined {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (protocolVersion === undefined) return 'protocolVersion is required';
  if (typeof protocolVersion !== 'string') return 'protocolVersion must be a string';
  if (capabilities === undefined) return 'capabilities is required';
  if (!isRecord(capabilities)) return 'capabilities must be an object';
  if (clientInfo !== undefined && !isRecord(clientInfo)) return 'clientInfo must be an object';
  return undefined;
}

function refuse(code: number, message: string, data?: unknown): Route {
  return { kind: 'refuse', error: { code, message, ...(data === undefined ? {} : { data }) } };
}
