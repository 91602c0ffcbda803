import { postgresDatabase, sqliteDatabase } from './databases.mjs';
import { outputBytes, recordWalk, repeatWalks, walkedId } from './walk.mjs';
import { startPostgresServer } from '../servers/postgres-server.mjs';
import { bytesText, countText } from './text.mjs';

/** The tables with rows for each event, for each call and for each session. */
const ofEvents = ['events', 'writes', 'commands'];
const ofCalls = ['calls'];
const ofSessions = ['sessions', 'agents', 'deliveries', 'session_blobs'];

/** Measures the size of many sessions, the space that pruning frees, and the size of a backup. */
export async function stored(bench) {
  const counts = { many: bench.sessions, few: bench.sessions / 10 };
  const walk = await recordWalk(bench);
  const server = await startPostgresServer(bench.scratch, { fsync: 'off' });
  try {
    const sqlite = await measure(await sqliteDatabase(), walk, counts);
    const postgres = await measure(await postgresDatabase(server, bench.scratch), walk, counts);
    return {
      title: 'Disk space of sessions',
      lines: [['', 'SQLite', 'Postgres'], ...linesOf([sqlite, postgres], { ...walk, ...counts })],
      notes: [
        `A session is ${walkedId} walked to its end: ${walk.events} events, ${walk.calls} calls, outputs of about ${outputBytes} bytes, ${countText(walk.submittedBytes)} in all.`,
      ],
    };
  } finally {
    await server.remove();
  }
}

async function measure(database, walk, { few, many }) {
  try {
    const empty = await grow(database, walk, 1);
    const some = await grow(database, walk, few);
    const full = await grow(database, walk, many - few);
    const backup = await database.backup();
    const pruned = await prune(database, walk, few);
    return { empty, some, full, backup, ...pruned, writeMs: full.ms };
  } finally {
    await database.remove();
  }
}

/** Adds sessions and returns the sizes once everything is written. */
async function grow(database, walk, count) {
  const from = performance.now();
  await using(database, (store) => repeatWalks(store, walk, count));
  const ms = performance.now() - from;
  await database.tidy();
  return { bytes: await database.bytes(), tables: await database.tables(), ms };
}

/** Deletes every session, then adds some again to see whether they reuse the freed space. */
async function prune(database, walk, few) {
  const from = performance.now();
  const dropped = await using(database, (store) =>
    store.prune({ before: new Date(Date.now() + 60_000).toISOString(), statuses: ['completed'] }),
  );
  const pruneMs = performance.now() - from;
  await database.tidy();
  const after = await database.bytes();
  const again = await grow(database, walk, few);
  await database.shrink();
  return { dropped, pruneMs, after, again: again.bytes, shrunk: await database.bytes() };
}

async function using(database, job) {
  const store = database.open();
  try {
    return await job(store);
  } finally {
    await store.close();
  }
}

function linesOf(sides, { events, calls, few, many }) {
  const line = (what, pick) => [what, ...sides.map((side) => pick(side))];
  const each = (from, to, count) => bytesText((to - from) / count);
  const part = (tables, { some, full }) =>
    tables.reduce((sum, name) => sum + (full.tables[name] ?? 0) - (some.tables[name] ?? 0), 0) / (many - few);
  return [
    line(`a session, of the first ${countText(few)}`, ({ empty, some }) =>
      each(empty.bytes, some.bytes, few),
    ),
    line(`a session, from there to ${countText(many)}`, ({ some, full }) =>
      each(some.bytes, full.bytes, many - few),
    ),
    line('of it for each event', (side) => bytesText(part(ofEvents, side) / events)),
    line('of it for each call', (side) => bytesText(part(ofCalls, side) / calls)),
    line('of it for its row, its state and what its agents were sent', (side) =>
      bytesText(part(ofSessions, side)),
    ),
    line('the database with all of them', ({ full }) => bytesText(full.bytes)),
    line('a backup of it', ({ backup }) => ('bytes' in backup ? bytesText(backup.bytes) : backup.skipped)),
    line('sessions that prune drops', ({ dropped }) => countText(dropped)),
    line('time of prune to that of writing them', ({ pruneMs, writeMs }) =>
      (((pruneMs / writeMs) * (many - few)) / many).toFixed(3),
    ),
    line('the database after it', ({ after }) => bytesText(after)),
    line(`with ${countText(few)} sessions again`, ({ again }) => bytesText(again)),
    line('and after VACUUM, in Postgres VACUUM FULL', ({ shrunk }) => bytesText(shrunk)),
  ];
}
