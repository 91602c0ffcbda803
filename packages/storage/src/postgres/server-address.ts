import type { ConnectionOptions } from 'node:tls';
import { unreadableAddress } from './storage-failure.ts';

/** Where a Postgres server is, in parts. What is left out the usual variables say (`PGHOST`, `PGPASSWORD`, …). */
export interface PostgresServer {
  /** A name, an address, or the folder of a socket. */
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  /** Left out: without TLS. */
  readonly tls?: boolean | ConnectionOptions;
}

/** An address as the driver takes it. */
export interface DriverAddress {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly ssl?: boolean | ConnectionOptions;
}

/** What the driver needs of an address. A URL says itself whether and how TLS is used. */
export function driverAddress(server: string | PostgresServer): DriverAddress {
  if (typeof server === 'string') {
    if (!/^postgres(ql)?:\/\//.test(server)) throw unreadableAddress();
    return { connectionString: server };
  }
  const { tls, ...parts } = server;
  return { ...parts, ...(tls !== undefined && { ssl: tls }) };
}
