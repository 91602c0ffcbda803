export type { SqliteDriverName } from './sqlite/driver.ts';
export { createSqliteSessionStore } from './sqlite/sqlite-session-store.ts';
export type { SqliteSessionStoreOptions } from './sqlite/sqlite-session-store.ts';
