import ipaddr from 'ipaddr.js';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { addressTokenOf, isAddressToken } from '@workflowlookup/host';
import type { IPv4, IPv6 } from 'ipaddr.js';
import { addressMessages } from '../messages.ts';

/** Loopback names of this machine. */
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Which hosts a request may be sent to, and which pages may send one. */
export interface AllowList {
  allowsHost(host: string): boolean;
  /** Whether a page of this origin may send requests. */
  allowsOrigin(origin: string): boolean;
}

/** The hosts and origins that are allowed in addition to loopback names. */
interface AllowListOptions {
  /** Names, with a port where only that one counts. */
  readonly hosts: readonly string[];
  /** Whole origins, such as `https://console.example.com`. */
  readonly origins: readonly string[];
  /** Whether pages of this machine may send requests. */
  readonly loopbackOrigins: boolean;
}

/** Makes the lists. Both keep a page that a browser was lured to from speaking to the server. */
export function createAllowList({ hosts, origins, loopbackOrigins }: AllowListOptions): AllowList {
  const names = new Set([...loopbackNames, ...hosts.map((host) => host.toLowerCase())]);
  const pages = new Set(origins.map((origin) => origin.toLowerCase()));
  const allowsHost = (host: string): boolean => {
    const whole = host.toLowerCase();
    return names.has(whole) || names.has(whole.replace(/:\d{1,5}$/, ''));
  };
  return {
    allowsHost,
    allowsOrigin(origin) {
      if (pages.has(origin.toLowerCase())) return true;
      const name = loopbackOrigins
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
 * Returns the address of the client: the peer of the connection or, if that is a trusted proxy, the address that the proxy
 * added to `X-Forwarded-For`. Of an IPv6 address it returns the first half, because one client may have all addresses that
 * begin with it.
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

/** An address of IPv4 that is written as one of IPv6 is what it stands for. */
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
  /** From the root of the server, with the token where there is one. @throws KEYS_UNUSABLE where the keys can't be used */
  path(): string;
  /** Why a request for a path under `/mcp` is not served; `undefined` for the address itself. */
  refuse(path: string): Response | undefined;
}

/**
 * Makes it. Where nobody needs a credential, the address has a token made from these keys: a page in the user's browser,
 * or another program that only knows the port, can't open an MCP session. Without keys the address is the route.
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
