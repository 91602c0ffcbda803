export { createPostgresSessionStore } from './postgres/postgres-session-store.ts';
export type { PostgresSessionStoreOptions } from './postgres/postgres-session-store.ts';
export type { PostgresServer } from './postgres/server-address.ts';
