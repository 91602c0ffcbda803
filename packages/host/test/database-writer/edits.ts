/** A database for somebody who can write to it but has no keys. */
export interface RawDatabase {
  /** Has a `?` for each bound value. */
  all(sql: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  run(sql: string, values?: readonly unknown[]): Promise<void>;
}

/** The tables of sessions, with the columns that identify a row. */
const tables: Readonly<Record<string, readonly string[]>> = {
  sessions: ['sid'],
  events: ['sid', 'revision'],
  calls: ['sid', 'n'],
  commands: ['sid', 'key'],
  agents: ['sid', 'number'],
  deliveries: ['sid', 'agent', 'digest'],
  definitions: ['digest'],
  blobs: ['digest'],
  session_blobs: ['sid', 'digest'],
};

type Row = Readonly<Record<string, unknown>>;

/** Makes a random change and describes it. Returns `undefined` if the database refused it. */
export async function editAtRandom(db: RawDatabase): Promise<string | undefined> {
  const table = pick(Object.keys(tables));
  const names = tables[table] ?? [];
  const rows = await db.all(`SELECT * FROM ${table}`);
  if (rows.length === 0) return undefined;
  const row = pick(rows);
  const other = pick(rows);
  const column = pick(Object.keys(row));
  const where = names.map((name) => `${name} = ?`).join(' AND ');
  const which = names.map((name) => row[name]);
  const set = async (value: unknown, [name, key]: readonly [string, Row] = [column, row]): Promise<void> =>
    db.run(`UPDATE ${table} SET ${name} = ? WHERE ${where}`, [value, ...names.map((one) => key[one])]);
  const kinds: Readonly<Record<string, () => Promise<void>>> = {
    change: () => set(changed(row[column])),
    'change again': () => set(changed(row[column])),
    clear: () => set(null),
    'take from another row': () => set(other[column]),
    swap: async () => {
      await set(other[column]);
      await set(row[column], [column, other]);
    },
    delete: () => db.run(`DELETE FROM ${table} WHERE ${where}`, which),
    'delete all of a session': () =>
      'sid' in row ? db.run(`DELETE FROM ${table} WHERE sid = ?`, [row['sid']]) : set(changed(row[column])),
    insert: () =>
      insert(db, table, { ...row, ...Object.fromEntries(names.map((one) => [one, changed(row[one])])) }),
    'put one in the place of another': async () => {
      await db.run(`DELETE FROM ${table} WHERE ${where}`, which);
      const key = Object.fromEntries(names.map((name) => [name, row[name]]));
      await insert(db, table, { ...other, ...key });
    },
  };
  const kind = pick(Object.keys(kinds));
  try {
    await kinds[kind]?.();
  } catch {
    // A constraint of the database prevents it.
    return undefined;
  }
  return `${kind}: ${table}.${column} of ${JSON.stringify(which)}`;
}

async function insert(db: RawDatabase, table: string, row: Row): Promise<void> {
  const columns = Object.keys(row).filter((name) => name !== 'position');
  const marks = columns.map(() => '?').join(', ');
  await db.run(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`,
    columns.map((one) => row[one]),
  );
}

/** Returns a value that is similar to another one but different. */
function changed(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) + pick([-1, 1, 1_000]);
  if (typeof value !== 'string' || value === '') return 'x';
  if (/^\d+$/.test(value)) return String(Number(value) + 1);
  if (value.startsWith('{')) return changedJson(value);
  const at = Math.floor(Math.random() * value.length);
  return value.slice(0, at) + (value[at] === 'a' ? 'b' : 'a') + value.slice(at + 1);
}

/** Changes one value in JSON, so that it can still be parsed. */
function changedJson(text: string): string {
  const root = JSON.parse(text) as Record<string, unknown>;
  const places: (readonly [Record<string, unknown>, string])[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      places.push([value as Record<string, unknown>, name]);
      walk(inner);
    }
  };
  walk(root);
  if (places.length === 0) return '{"x":1}';
  const [holder, name] = pick(places);
  const kind = pick(['change', 'delete', 'empty']);
  if (kind === 'delete') Reflect.deleteProperty(holder, name);
  else holder[name] = kind === 'empty' ? null : changed(holder[name]);
  return JSON.stringify(root);
}

function pick<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value;
}

/**
 * Deliberate changes. `withAnchor`: verify needs the anchor to find it. `only`: the only database that supports the SQL.
 */
export const chosenEdits: readonly (readonly [
  what: string,
  sql: string | readonly string[],
  more?: { readonly withAnchor?: true; readonly only?: 'SQLite' | 'Postgres' },
])[] = [
  [
    'an approval is inserted',
    'INSERT INTO events (sid, revision, at, type, data, prev_hash, hash) SELECT sid, revision + 1, updated_at, \'checkpoint-answered\', \'{"type":"checkpoint-answered","activity":"fetch","checkpoint":"bake-now","answer":{"kind":"option","option":"yes"},"by":"human","person":"the CISO","variables":{}}\', hash, \'sha256:x\' FROM sessions WHERE status = \'blocked\'',
  ],
  [
    'an approval is inserted and the session is moved',
    [
      "INSERT INTO events (sid, revision, at, type, data, prev_hash, hash) SELECT sid, revision + 1, updated_at, 'checkpoint-answered', '{}', hash, 'sha256:x' FROM sessions WHERE status = 'blocked'",
      "UPDATE sessions SET revision = revision + 1, hash = 'sha256:x', status = 'active' WHERE status = 'blocked'",
    ],
  ],
  ['an event is deleted', 'DELETE FROM events WHERE revision = 2'],
  ['the first event is deleted', 'DELETE FROM events WHERE revision = 1'],
  ['the last event is deleted', "DELETE FROM events WHERE type = 'checkpoint-yielded'"],
  [
    'who answered is edited',
    "UPDATE events SET data = replace(data, '\"agent\"', '\"human\"') WHERE type = 'checkpoint-answered'",
  ],
  ['the time of an event is edited', "UPDATE events SET at = '2020-01-01T00:00:00.000Z' WHERE revision = 2"],
  ['the hash of an event is edited', "UPDATE events SET hash = 'sha256:x' WHERE revision = 2"],
  ['the seal of an event is removed', 'UPDATE events SET seal = NULL WHERE revision = 2'],
  ['the seals of all events are removed', 'UPDATE events SET seal = NULL'],
  [
    'every seal is removed',
    [
      'UPDATE events SET seal = NULL',
      'UPDATE sessions SET seal = NULL',
      'UPDATE calls SET seal = NULL',
      'UPDATE commands SET seal = NULL',
      'UPDATE agents SET seal = NULL',
    ],
  ],
  ['seals are swapped between sessions', 'UPDATE sessions SET seal = (SELECT max(seal) FROM sessions)'],
  ['the seal is that of an event', 'UPDATE sessions SET seal = (SELECT max(seal) FROM events)'],
  [
    'the number of calls before an event is edited',
    'UPDATE events SET follows = NULL WHERE follows IS NOT NULL',
  ],
  [
    'the open checkpoint is removed from the state',
    "UPDATE sessions SET state = replace(state, '\"gate\"', '\"gone\"') WHERE status = 'blocked'",
  ],
  ['a variable of the state is edited', "UPDATE sessions SET state = replace(state, 'rye', 'oat')"],
  [
    'the state is replaced by that of another session',
    'UPDATE sessions SET state = (SELECT max(state) FROM sessions), state_seal = (SELECT max(state_seal) FROM sessions)',
  ],
  ['the state is of another revision', 'UPDATE sessions SET state_revision = 1'],
  ['the status is edited', "UPDATE sessions SET status = 'active' WHERE status = 'blocked'"],
  ['a completed session is opened again', "UPDATE sessions SET status = 'active' WHERE status = 'completed'"],
  ['the owner is edited', "UPDATE sessions SET principal = 'eve'"],
  ['the agent is edited', "UPDATE sessions SET agent = 'human:root'"],
  ['the parent is edited', 'UPDATE sessions SET parent_sid = NULL WHERE parent_sid IS NOT NULL'],
  [
    'a parent is forged',
    "UPDATE sessions SET parent_sid = (SELECT min(sid) FROM sessions) WHERE status = 'blocked'",
  ],
  ['the folder is edited', "UPDATE sessions SET project = '/elsewhere'"],
  ['the version is edited', "UPDATE sessions SET version = '9.9.9'"],
  [
    'the definition is that of another workflow',
    'UPDATE sessions SET digest = (SELECT max(digest) FROM definitions)',
  ],
  ['the beginning is dated back', "UPDATE sessions SET created_at = '2020-01-01T00:00:00.000Z'"],
  ['the last write is dated forward', "UPDATE sessions SET updated_at = '2030-01-01T00:00:00.000Z'"],
  [
    'a session is marked as imported and authentic',
    'UPDATE sessions SET marks = \'{"imported":{"isAuthentic":true}}\'',
  ],
  [
    'a session is marked as sealed by a person',
    'UPDATE sessions SET marks = \'{"sealed":{"by":"ana"}}\', seal = NULL',
  ],
  [
    'the approver is removed from the definition',
    "UPDATE definitions SET body = replace(body, 'bake-now', 'bake-not')",
  ],
  ['the definition is emptied', "UPDATE definitions SET body = '{}'"],
  ['the definition is deleted', 'DELETE FROM definitions'],
  ['an output is edited', "UPDATE blobs SET value = replace(value, 'Asked', 'Baked')"],
  ['an output is deleted', 'DELETE FROM blobs'],
  ['what a session refers to is deleted', 'DELETE FROM session_blobs'],
  ['refused calls are deleted from the trace', 'DELETE FROM calls WHERE call LIKE \'%"s":"error"%\''],
  ['the trace is deleted', 'DELETE FROM calls'],
  [
    'a refused call is changed into a successful one',
    'UPDATE calls SET call = replace(call, \'"s":"error"\', \'"s":"ok"\')',
  ],
  ['the caller of a call is edited', 'UPDATE calls SET call = replace(call, \'"baker"\', \'"eve"\')'],
  ['a call is numbered anew', 'UPDATE calls SET seq = seq + 100'],
  ['the order of calls is edited', 'UPDATE calls SET n = n + 1000000 WHERE seq = 1'],
  [
    'a call is written to the trace twice',
    [
      'DROP INDEX IF EXISTS calls_by_writer',
      'INSERT INTO calls (n, sid, writer, seq, call, seal) SELECT n + 1000000, sid, writer, seq, call, seal FROM calls WHERE n = (SELECT max(n) FROM calls)',
    ],
  ],
  [
    'the result of a command is edited',
    'UPDATE commands SET result = replace(result, \'"revision":2\', \'"revision":3\')',
  ],
  ['a command is deleted', 'DELETE FROM commands'],
  ['an agent is renamed', "UPDATE agents SET agent = 'human:root' WHERE agent = 'helper'"],
  ['an agent is deleted', "DELETE FROM agents WHERE agent = 'helper'"],
  [
    'a session is copied to another id',
    [
      "INSERT INTO sessions (sid, workflow_id, version, digest, principal, agent, status, revision, hash, created_at, updated_at, seal) SELECT 'ffffffffffffffffffff', workflow_id, version, digest, principal, agent, status, revision, hash, created_at, updated_at, seal FROM sessions WHERE status = 'blocked'",
      "INSERT INTO events (sid, revision, at, type, data, prev_hash, hash, follows, seal) SELECT 'ffffffffffffffffffff', events.revision, at, type, data, prev_hash, events.hash, follows, events.seal FROM events JOIN sessions USING (sid) WHERE status = 'blocked'",
    ],
  ],
  [
    'a session from a version without seals is forged',
    [
      "INSERT INTO sessions (sid, workflow_id, version, digest, principal, agent, status, revision, hash, created_at, updated_at) SELECT 'ffffffffffffffffffff', workflow_id, version, digest, principal, agent, status, revision, hash, created_at, updated_at FROM sessions WHERE status = 'blocked'",
    ],
  ],
  [
    'a session is deleted',
    [
      'DELETE FROM events WHERE sid = (SELECT min(sid) FROM sessions)',
      'DELETE FROM calls WHERE sid = (SELECT min(sid) FROM sessions)',
      'DELETE FROM commands WHERE sid = (SELECT min(sid) FROM sessions)',
      'DELETE FROM agents WHERE sid = (SELECT min(sid) FROM sessions)',
      'DELETE FROM deliveries WHERE sid = (SELECT min(sid) FROM sessions)',
      'DELETE FROM session_blobs WHERE sid = (SELECT min(sid) FROM sessions)',
      'DELETE FROM sessions WHERE sid = (SELECT min(sid) FROM sessions)',
    ],
    { withAnchor: true },
  ],
  [
    'the row of a session is deleted',
    'DELETE FROM sessions WHERE sid = (SELECT min(sid) FROM sessions)',
    { only: 'SQLite' },
  ],
  [
    'a session has a second row',
    [
      'ALTER TABLE sessions DROP CONSTRAINT sessions_pkey CASCADE',
      "INSERT INTO sessions SELECT * FROM sessions WHERE status = 'blocked'",
    ],
    { only: 'Postgres' },
  ],
  [
    'a session has a second row',
    [
      'CREATE TABLE again AS SELECT * FROM sessions',
      'DROP TABLE sessions',
      'ALTER TABLE again RENAME TO sessions',
      "INSERT INTO sessions SELECT * FROM sessions WHERE status = 'blocked'",
    ],
    { only: 'SQLite' },
  ],
  [
    'the last event exists twice',
    [
      'ALTER TABLE events DROP CONSTRAINT events_pkey',
      "INSERT INTO events SELECT * FROM events WHERE type = 'checkpoint-yielded'",
    ],
    { only: 'Postgres' },
  ],
  [
    'revocations are undone from now on',
    'CREATE TRIGGER keep BEFORE UPDATE OF revoked_at ON api_keys BEGIN SELECT raise(IGNORE); END',
    { only: 'SQLite' },
  ],
  [
    'a session is hidden from lists',
    [
      'ALTER TABLE sessions ENABLE ROW LEVEL SECURITY',
      "CREATE POLICY hidden ON sessions USING (current_query() !~ 'updated_at DESC')",
    ],
    { only: 'Postgres' },
  ],
  [
    'calls are not recorded',
    'CREATE RULE nothing AS ON INSERT TO calls DO INSTEAD NOTHING',
    { only: 'Postgres' },
  ],
];
