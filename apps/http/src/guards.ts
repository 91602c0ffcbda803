import { createHash } from 'node:crypto';
import type { SessionCounts } from '@workflowlookup/core/operator';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { addressTokenOf, isAddressToken } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { IPv4, IPv6 } from 'ipaddr.js';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { addressMessages, limitMessages } from './messages.ts';
import type { NetworkOptions } from './options.ts';

/** Loopback names of this machine. */
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Which hosts a request may be sent to, and which pages may send one. */
export interface AllowList {
  allowsHost(host: string): boolean;
  /** Whether a page of this origin may send requests. */
  allowsOrigin(origin: string): boolean;
}

/** Creates an allow list. It keeps malicious web pages in a browser of this machine from using the server. */
export function createAllowList({
  allowedHosts,
  allowedOrigins,
  address,
}: Pick<NetworkOptions, 'allowedHosts' | 'allowedOrigins' | 'address'>): AllowList {
  const names = new Set([...loopbackNames, ...allowedHosts.map((host) => host.toLowerCase())]);
  const pages = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  const allowsHost = (host: string): boolean => {
    const whole = host.toLowerCase();
    return names.has(whole) || names.has(whole.replace(/:\d{1,5}$/, ''));
  };
  return {
    allowsHost,
    allowsOrigin(origin) {
      if (pages.has(origin.toLowerCase())) return true;
      const name = isLoopback(address)
        ? /^https?:\/\/([^/:]+|\[::1\])(?::\d{1,5})?$/i.exec(origin)?.[1]
        : undefined;
      return name !== undefined && loopbackNames.includes(name.toLowerCase());
    },
  };
}

/** Whether an address can only be reached from this machine. */
export function isLoopback(address: string): boolean {
  return loopbackNames.includes(address) || address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);
}

/** Addresses that begin with the same bits. */
export type AddressRange = readonly [first: IPv4 | IPv6, bits: number];

/** Reads an address, or a range of addresses such as `10.0.0.0/8`. Returns `undefined` for any other text. */
export function readRange(text: string): AddressRange | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = readAddress(text);
  return address === undefined ? undefined : [address, address.toByteArray().length * 8];
}

/**
 * Returns the address of the client: the peer of the connection or, if that is a trusted proxy, the address that the
 * proxy added to `X-Forwarded-For`. Of an IPv6 address it returns the first half, because one client often has all
 * addresses with that prefix.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | null,
  trusted: readonly AddressRange[],
): string {
  const hops = (forwardedFor ?? '').split(',');
  let address = readAddress(peer);
  while (address !== undefined && isIn(trusted, address)) {
    const before = readAddress((hops.pop() ?? '').trim());
    if (before === undefined) break;
    address = before;
  }
  return address?.toByteArray().slice(0, 8).join('.') ?? 'unknown';
}

/** Parses an address. An IPv4-mapped IPv6 address becomes the IPv4 address. */
function readAddress(text: string): IPv4 | IPv6 | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

function isIn(ranges: readonly AddressRange[], address: IPv4 | IPv6): boolean {
  return ranges.some(([first, bits]) => first.kind() === address.kind() && address.match(first, bits));
}

/** The route without a token. */
const route = '/mcp';

/** The address of `/mcp` for clients. */
export interface McpAddress {
  /** Returns the path, with the token if there is one. @throws KEYS_UNUSABLE if the keys can't be used */
  path(): string;
  /** Returns the refusal of a request to a path under `/mcp`; `undefined` for the right path. */
  refuse(path: string): Response | undefined;
}

/**
 * Creates the address. On a server without credentials, it contains a token derived from these keys. Without it, a page
 * in the user's browser, or a program that only knows the port, can't open an MCP session. Without `keys`, the address
 * is the plain route.
 */
export function createMcpAddress(keys: (() => KeyRing) | undefined): McpAddress {
  if (keys === undefined)
    return {
      path: () => route,
      refuse: (path) => (path === route ? undefined : Response.json({ error: 'not_found' }, { status: 404 })),
    };
  return {
    path: () => `${route}/${addressTokenOf(keys())}`,
    refuse(path) {
      if (isAddressToken(keys(), path.slice(route.length + 1))) return undefined;
      // Not 401: clients would look for an authorization server.
      const message = addressMessages.wrongToken();
      return Response.json({ error: 'address_token_required', message }, { status: 403 });
    },
  };
}

/** Returns whether a path belongs to the route, with any token. */
export function isMcpPath(path: string): boolean {
  return path === route || /^\/mcp\/[\w-]{1,128}$/.test(path);
}

/** Limits how many times a second each principal may do something, with a burst after a pause. */
export interface RateLimit {
  /** Number of calls that may come at once after a pause. */
  readonly burst: number;
  /** Takes `count` and returns 0, or takes nothing and returns how many seconds to wait. */
  take(who: string, count?: number): number;
  /** Returns how many seconds to wait, and takes nothing. */
  wait(who: string): number;
}

/**
 * How many principals each limit remembers; the one that has been idle for longest is forgotten first. With the option
 * `max` instead, each cache would take the memory for all of them when the server starts.
 */
const remembered = { maxSize: 10_000, sizeCalculation: () => 1 };

/** Milliseconds of a monotonic clock: if a clock could be set back, everybody would wait for that long. */
const monotonic = (): number => performance.now();

export function createRateLimit(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  now: () => number = monotonic,
): RateLimit {
  const buckets = new LRUCache<string, { left: number; atMs: number }>(remembered);

  function leftFor(who: string, nowMs: number): number {
    const { left, atMs } = buckets.get(who) ?? { left: burst, atMs: nowMs };
    return Math.min(burst, left + ((nowMs - atMs) / 1000) * perSecond);
  }

  const secondsUntil = (left: number, count: number): number =>
    left < count ? Math.ceil((count - left) / perSecond) : 0;

  return {
    burst: perSecond === 0 ? Infinity : burst,
    take(who, count = 1) {
      if (perSecond === 0) return 0;
      const nowMs = now();
      const left = leftFor(who, nowMs);
      buckets.set(who, { left: left < count ? left : left - count, atMs: nowMs });
      return secondsUntil(left, count);
    },
    wait: (who) => (perSecond === 0 ? 0 : secondsUntil(leftFor(who, now()), 1)),
  };
}

/** Limits how many calls of each principal run at once, so that one principal can't use the whole capacity. */
export interface Share {
  /**
   * Runs `work`, which counts as one call until it is done. Returns `undefined` if the principal has used up its share.
   * If the work consists of several calls, it passes the number of further calls to `more`, which returns false if
   * there is no room for them.
   */
  run<T>(principal: string, work: (more: (count: number) => boolean) => Promise<T>): Promise<T> | undefined;
}

export function createShare(max: number): Share {
  const inFlight = new Map<string, number>();

  const countOf = (principal: string): number => inFlight.get(principal) ?? 0;

  function change(principal: string, by: number): void {
    const left = countOf(principal) + by;
    if (left === 0) inFlight.delete(principal);
    else inFlight.set(principal, left);
  }

  async function counted<T>(
    principal: string,
    work: (more: (count: number) => boolean) => Promise<T>,
  ): Promise<T> {
    let own = 1;
    change(principal, own);
    const more = (count: number): boolean => {
      if (countOf(principal) + count > max) return false;
      own += count;
      change(principal, count);
      return true;
    };
    try {
      return await work(more);
    } finally {
      change(principal, -own);
    }
  }

  return {
    run: (principal, work) => (countOf(principal) < max ? counted(principal, work) : undefined),
  };
}

/** A body up to `freeBytes` costs nothing extra. Beyond that, every `bytesOfCall` count as one more call. */
const freeBytes = 64_000;
const bytesOfCall = 8_000;

/**
 * Returns how many extra calls a body counts as, because a large one keeps the server busy for about as long as that
 * many calls. With the request's own call, it is at most the burst, so that after a pause every body is accepted.
 */
export function callsInBody(bytes: number, { burst }: RateLimit): number {
  return Math.min(Math.ceil(Math.max(0, bytes - freeBytes) / bytesOfCall), burst - 1);
}

/** Returns the declared size of a body in bytes; `undefined` if it is not declared. */
export function bytesSaid(request: Request): number | undefined {
  const length = request.headers.get('content-length');
  if (length !== null) return Number(length);
  // The server makes a stream for each body that is looked at, which takes as long as half of a call.
  return request.body === null ? 0 : undefined;
}

/** How many sessions each principal may start; 0 is no limit. */
export interface SessionQuotaOptions {
  /** How many sessions may start in a minute. After a pause, all of them may start at once. */
  readonly sessionRate: number;
  /**
   * How many sessions may be open at once on all servers of the database, including those that are parked or blocked at
   * a checkpoint.
   */
  readonly maxOpenSessions: number;
}

interface SessionQuotaParts extends SessionQuotaOptions {
  countOf(principal: string): Promise<SessionCounts>;
  readonly now?: () => number;
}

/** How long a count is used. Sessions that start here in the meantime are added to it. */
const keepMs = 5_000;

/**
 * Creates the quota of one server: a function that counts one more session of a principal, and throws QUOTA_EXCEEDED if
 * the principal has reached a limit. Each server counts for itself, so several servers together may allow a few sessions
 * more.
 */
export function createSessionQuota(parts: SessionQuotaParts): (principal: string) => Promise<void> {
  const { sessionRate, maxOpenSessions, countOf, now = monotonic } = parts;
  const rate = createRateLimit({ perSecond: sessionRate / 60, burst: sessionRate }, now);
  // Simultaneous starts share one count. A failed count is not remembered.
  const counts = new LRUCache<string, { open: number }>({
    ...remembered,
    ttl: keepMs,
    ttlResolution: 0,
    perf: { now },
    async fetchMethod(principal) {
      const { active, blocked, parked } = await countOf(principal);
      return { open: active + blocked + parked };
    },
  });

  return async (principal) => {
    const waitSeconds = rate.take(principal);
    if (waitSeconds > 0)
      throw new WorkflowError(
        'QUOTA_EXCEEDED',
        limitMessages.sessionsTooFast(principal, sessionRate, waitSeconds),
        { data: { quota: 'rate', limit: sessionRate, retry_after_seconds: waitSeconds } },
      );
    if (maxOpenSessions === 0) return;
    const counted = await counts.forceFetch(principal);
    const { open } = counted;
    if (open >= maxOpenSessions)
      throw new WorkflowError(
        'QUOTA_EXCEEDED',
        limitMessages.tooManySessions(principal, open, maxOpenSessions),
        {
          data: { quota: 'open', limit: maxOpenSessions, open },
        },
      );
    counted.open += 1;
  };
}

/**
 * Limits attempts with wrong credentials. A credential that fails again and again is refused without a lookup. An
 * unknown credential also counts against its address: beyond the limit, other unknown credentials from there must wait.
 * A valid credential is never delayed, whatever else its address sends.
 *
 * @see docs/operations.md#limits
 */
export interface FailedCredentials {
  /** Remembers the address of the other end of a request's connection. */
  note(request: Request, peer: string | undefined): void;
  /** The address of the client, as trusted proxies report it. */
  addressOf(request: Request): string;
  /** Seconds until this credential is looked up again; 0 for at once. */
  wait(request: Request, credential: string): number;
  /**
   * Counts a refused credential. `isOver`: the credential is known but expired or revoked, so it does not count against
   * its address. Returns how many seconds its sender must wait; 0 if it may send another one now.
   */
  count(request: Request, credential: string, isOver?: boolean): number;
}

/** Creates the limits. `authFailures` is the number per minute; 0 means no limit. */
export function createFailedCredentials(
  { authFailures, trustedProxies }: Pick<NetworkOptions, 'authFailures' | 'trustedProxies'>,
  now?: () => number,
): FailedCredentials {
  const rate = { perSecond: authFailures / 60, burst: authFailures };
  const ofAddress = createRateLimit(rate, now);
  const ofCredential = createRateLimit(rate, now);
  const peers = new WeakMap<Request, string>();
  const addressOf = (request: Request): string =>
    clientAddress(peers.get(request) ?? '', request.headers.get('x-forwarded-for'), trustedProxies);
  const senderOf = (request: Request, credential: string): string =>
    `${addressOf(request)} ${hashOf(credential)}`;
  return {
    note(request, peer) {
      if (peer !== undefined) peers.set(request, peer);
    },
    addressOf,
    wait: (request, credential) =>
      authFailures === 0 ? 0 : ofCredential.wait(senderOf(request, credential)),
    count(request, credential, isOver = false) {
      if (authFailures === 0) return 0;
      const own = ofCredential.take(senderOf(request, credential));
      return isOver ? own : Math.max(own, ofAddress.take(addressOf(request)));
    },
  };
}

/** Returns the hash by which a credential is remembered, because the memory of the server must not have credentials. */
export function hashOf(credential: string): string {
  return createHash('sha256').update(credential).digest('base64');
}
