import type { IPv4, IPv6 } from 'ipaddr.js';
import ipaddr from 'ipaddr.js';

/** Addresses that begin with the same bits. */
export type AddressRange = readonly [first: IPv4 | IPv6, bits: number];

/** Reads an address, or a range of them such as `10.0.0.0/8`; `undefined` for anything else. */
export function readRange(text: string): AddressRange | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = readAddress(text);
  return address === undefined ? undefined : [address, address.toByteArray().length * 8];
}

/**
 * Who sends a request, as far as an address tells: the peer of its connection, or where that is a trusted proxy, whom it
 * names in `X-Forwarded-For`. Of IPv6 the first half, which is what one holder of addresses has.
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
