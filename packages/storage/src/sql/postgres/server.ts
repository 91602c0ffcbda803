import type { ConnectionOptions } from 'node:tls';

// Apart from the pool, so that the types of this package don't need those of `pg`.

/**
 * The address of a Postgres server, in parts. The usual environment variables apply to absent parts (`PGHOST`,
 * `PGPASSWORD`, …).
 */
export interface PostgresServer {
  /** A host name, an address, or the folder of a socket. */
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  /** Default: without TLS. */
  readonly tls?: boolean | ConnectionOptions;
}
