import { isLoopback } from './allow-list.ts';

/** Whether what is sent to an address is read by nobody else: over TLS, or on this machine. */
export function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
