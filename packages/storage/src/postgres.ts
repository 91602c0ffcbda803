export { createPostgresSessionStore } from './sql/postgres/postgres-session-store.ts';
export type { PostgresSessionStoreOptions } from './sql/postgres/postgres-session-store.ts';
export type { PostgresServer } from './sql/postgres/server.ts';
