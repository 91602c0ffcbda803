import Libsql from 'libsql';

const row = 'x'.repeat(1024);

/**
 * The baseline for durable writes: inserts one row of 1 kB in its own transaction. It uses the driver, the journal mode
 * and the `synchronous=FULL` of the session database.
 *
 * @param {string} file of a new database
 * @param {import('@workflowlookup/storage').StoreHealth} health of the store to compare with
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
