export type { SqliteDriverName } from './sql/sqlite/driver.ts';
export { createSqliteSessionStore } from './sql/sqlite/sqlite-session-store.ts';
export type { SqliteSessionStoreOptions } from './sql/sqlite/sqlite-session-store.ts';
