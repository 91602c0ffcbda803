import Libsql from 'libsql';

const row = 'x'.repeat(1024);

/**
 * The floor of durable writing: one row of 1 kB in a transaction of its own, through the driver, in the journal mode and
 * with the `synchronous=FULL` of the session database.
 *
 * @param {string} file of a new database
 * @param {import('@workflowlookup/storage').StoreHealth} health of the store it stands beside
 */
export function createInserts(file, { facts }) {
  const { driver, journalMode } = /** @type {{ driver: string, journalMode: string }} */ (facts);
  const db = new (databaseOf(driver))(file);
  db.exec(`PRAGMA journal_mode=${journalMode}`);
  db.exec('PRAGMA synchronous=FULL');
  db.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
  const statement = db.prepare('INSERT INTO rows (body) VALUES (?)');
  return { insert: () => void statement.run(row), close: () => db.close() };
}

function databaseOf(driver) {
  return driver === 'libsql' ? Libsql : process.getBuiltinModule('node:sqlite').DatabaseSync;
}
