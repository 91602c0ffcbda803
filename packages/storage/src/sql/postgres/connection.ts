import { WorkflowError } from '@workflowlookup/schema';
import type { ClientConfig, Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { databaseMessages, postgresFailures } from '../../messages.ts';
import { databaseFailed, storeClosed, systemCode } from '../../errors.ts';
import type { Task, Database, Dialect } from '../database.ts';
import type { SqlRow, SqlValue } from '../stored-sessions.ts';
import { sessionNumberColumns, sessionTextColumns } from '../stored-sessions.ts';
import { migrate } from './migrations.ts';
import type { PostgresServer } from './index.ts';

/** A value to bind. A list becomes a Postgres array. */
export type BoundValue = SqlValue | readonly SqlValue[];

/** Runs statements. Each one sees everything that was committed before it began. */
export interface PostgresDatabase {
  /**
   * Runs one statement, with `$1` for the first value, and returns its rows. It is prepared once for each connection.
   */
  all(sql: string, values?: readonly BoundValue[]): Promise<readonly SqlRow[]>;
  /** Runs one statement without preparing it: for rare statements, and for those that need a plan for their values. */
  once(sql: string, values?: readonly BoundValue[]): Promise<readonly SqlRow[]>;
  /** Runs one statement, prepared like those of `all`, and returns how many rows it changed. */
  change(sql: string, values: readonly BoundValue[]): Promise<number>;
}

/** A sequence of statements. It runs once. */
export type ConnectionTask<T> = (db: PostgresDatabase) => Promise<T>;

/** Access to one database. Every single statement is a transaction. */
export interface Connection extends PostgresDatabase {
  /** Runs a task on one connection, with each statement in a transaction of its own. */
  run<T>(task: ConnectionTask<T>): Promise<T>;
  /**
   * Runs a task in one transaction, which is on disk when the promise resolves. If the task fails, nothing is changed.
   */
  write<T>(task: ConnectionTask<T>): Promise<T>;
}

/** Makes a connection from a pool. The first call migrates the database. */
export function createConnection({ use: withClient }: Pick<ClientPool, 'use'>): Connection {
  let migrating: Promise<void> | undefined;

  function migrated(): Promise<void> {
    migrating ??= withClient((client) =>
      migrate((step) => transact(client, step), databaseOfClient(client)),
    ).catch((error: unknown) => {
      migrating = undefined;
      throw error;
    });
    return migrating;
  }

  async function use<T>(task: (client: PoolClient) => Promise<T>): Promise<T> {
    await migrated();
    return withClient(task);
  }

  return {
    all: (sql, values) => use((client) => databaseOfClient(client).all(sql, values)),
    once: (sql, values) => use((client) => databaseOfClient(client).once(sql, values)),
    change: (sql, values) => use((client) => databaseOfClient(client).change(sql, values)),
    run: (task) => use((client) => task(databaseOfClient(client))),
    write: (task) => use((client) => transact(client, task)),
  };
}

async function transact<T>(client: PoolClient, task: ConnectionTask<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await task(databaseOfClient(client));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that may be in a bad state is closed, which ends its transaction.
    if (isReusable(error)) await client.query('ROLLBACK');
    throw error;
  }
}

function databaseOfClient(client: PoolClient): PostgresDatabase {
  const run = (statement: QueryConfig<BoundValue[]>): Promise<QueryResult<SqlRow>> => client.query(statement);
  const prepared = (text: string, values: readonly BoundValue[] = []): Promise<QueryResult<SqlRow>> =>
    run({ name: nameOf(text), text, values: [...values] });
  return {
    all: async (text, values) => (await prepared(text, values)).rows,
    once: async (text, values = []) => (await run({ text, values: [...values] })).rows,
    change: async (text, values) => (await prepared(text, values)).rowCount ?? 0,
  };
}

const names = new Map<string, string>();

/** Returns the name under which a connection prepares a statement. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `statement-${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** Keeps positions from being assigned until the transaction ends, so that writes can be deleted. */
export const lockPositions = 'SELECT last_change FROM meta FOR UPDATE';

export const postgresDialect: Dialect = {
  texts: (...columns) => columns.join(', '),
  sessionColumns: [...sessionTextColumns, ...sessionNumberColumns].join(', '),
  isIn: (column) => `${column} IN (SELECT json_array_elements_text(?::json))`,
  mentions: (column) => `strpos(lower(${column}), lower(?::text COLLATE "C")) > 0`,
  contains: (column) => `strpos(${column}, ?::text COLLATE "C") > 0`,
  elements: 'json_array_elements(?::json) AS element (value)',
  lock: (strength) => `FOR ${strength}`,
  turns: {
    'noting keys': 'LOCK TABLE keys IN SHARE ROW EXCLUSIVE MODE',
    'deleting sessions': lockPositions,
  },
};

/** Makes the database that the shared parts of a store use. */
export function databaseOf(connection: Connection): Database {
  return {
    dialect: postgresDialect,
    isMade: () => true,
    select: (sql, values) => connection.all(numbered(sql), values),
    selectOnce: (sql, values) => connection.once(numbered(sql), values),
    change: (sql, values) => connection.change(numbered(sql), values),
    read: (task) => connection.run((db) => runTask(db, task())),
    snapshot: (task) =>
      connection.write(async (db) => {
        await db.once('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
        return runTask(db, task());
      }),
    write: (task) => connection.write((db) => runTask(db, task())),
    checkMiss: async () => undefined,
  };
}

/** Runs the statements of a task one after the other. */
export async function runTask<Result>(db: PostgresDatabase, task: Task<Result>): Promise<Result> {
  for (let step = task.next(); ;) {
    if (step.done === true) return step.value;
    const { sql, values, kind } = step.value;
    const run = { select: db.all, 'select-once': db.once, change: db.change }[kind];
    step = task.next(await run(numbered(sql), values));
  }
}

/** Replaces each `?` in a statement by `$1`, `$2` and so on. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${(count += 1)}`);
}

type Reason = Exclude<keyof typeof postgresFailures, 'unknown'>;

/** Reasons of failures after which the same call may succeed in a moment. */
const retryable: ReadonlySet<Reason> = new Set(['unavailable', 'busy', 'timeout', 'read-only']);

/** Failures by SQLSTATE or its first two characters. The full code takes precedence. */
const bySqlState: Readonly<Record<string, Reason>> = {
  '08': 'unavailable',
  '25006': 'read-only',
  '25P03': 'timeout',
  '25P04': 'timeout',
  '28': 'denied',
  '3D': 'no-database',
  '3F': 'gone',
  '40': 'busy',
  '42501': 'denied',
  '42P01': 'gone',
  '53': 'busy',
  '53100': 'disk-full',
  '55P03': 'busy',
  '57': 'unavailable',
  '57014': 'timeout',
  XX001: 'corrupt',
  XX002: 'corrupt',
};

/** Failures that only the driver's messages tell apart. */
const byMessage: readonly (readonly [RegExp, Reason])[] = [
  [/^timeout exceeded when trying to connect$/, 'busy'],
  [/^Query read timeout$/, 'timeout'],
  [/SSL|TLS|certificate/i, 'tls'],
  [/^Invalid URL$/, 'address'],
];

function sqlState(error: unknown): string | undefined {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : undefined;
}

/** Returns the name of the constraint that a refused statement would have violated. */
export function brokenConstraint(error: unknown): string | undefined {
  const refused = error instanceof WorkflowError ? error.cause : error;
  if (!(refused instanceof Error)) return undefined;
  const { constraint } = refused as { constraint?: unknown };
  return sqlState(refused)?.startsWith('23') && typeof constraint === 'string' ? constraint : undefined;
}

/** Whether a connection may be used again after this error. */
function isReusable(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return error instanceof WorkflowError;
  return state === '57014' || ['22', '23', '40', '42', '55'].includes(state.slice(0, 2));
}

/** Whether the server could not be reached, as opposed to being overloaded. */
function isOutage(error: unknown): boolean {
  return error instanceof WorkflowError && error.data['reason'] === ('unavailable' satisfies Reason);
}

/**
 * Converts a failure of the driver or the server into an error for the caller, without the address or the user. Other
 * errors are returned unchanged.
 */
function storageFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof WorkflowError) return error;
  const state = sqlState(error);
  if (state !== undefined) return serverFailure(state, error);
  // The only files in an address are certificates and keys.
  if ('syscall' in error && error.syscall === 'open') return storageError('tls');
  if (isSystemCode(systemCode(error))) return storageError('unavailable');
  const byWords = byMessage.find(([words]) => words.test(error.message))?.[1];
  if (byWords !== undefined) return storageError(byWords);
  const isOurs = [TypeError, RangeError, SyntaxError, ReferenceError].some((kind) => error instanceof kind);
  return isOurs ? error : storageError('unavailable');
}

/** Whether the network or a socket failed. Codes that begin with `ERR_` are Node's own. */
function isSystemCode(code: string): boolean {
  return /^E(?!RR_)[A-Z_]+$/.test(code);
}

function serverFailure(state: string, cause: Error): WorkflowError {
  const reason = bySqlState[state] ?? bySqlState[state.slice(0, 2)];
  if (reason !== undefined) return storageError(reason);
  return databaseFailed('unknown', postgresFailures.unknown(state), { retryable: false, cause });
}

function storageError(reason: Reason): WorkflowError {
  return databaseFailed(reason, postgresFailures[reason], { retryable: retryable.has(reason) });
}

/** Hands out the connections of a pool. */
export interface ClientPool {
  /** Runs a task with a connection. After a failure the connection is closed if it may be in a bad state. */
  use<T>(task: (client: PoolClient) => Promise<T>): Promise<T>;
  /** Returns the number of open connections and of waiting calls. */
  usage(): { readonly open: number; readonly waiting: number };
  close(): Promise<void>;
}

interface ClientPoolOptions {
  readonly server: string | PostgresServer;
  readonly limits: PoolLimits;
  /** Called with the error of a task that failed. */
  onFailure?(error: unknown): void;
}

/** Makes a client pool. It connects at the first call. If the server does not answer, it pauses before the next try. */
export function createClientPool({ server, limits, onFailure }: ClientPoolOptions): ClientPool {
  const backoff = createConnectBackoff(50, 1_000);
  let opening: Promise<Pool> | undefined;
  let pool: Pool | undefined;
  let closed = false;

  async function open(): Promise<Pool> {
    return (pool = createPool(await loadDriver(), server, limits));
  }

  async function connect(): Promise<PoolClient> {
    const recent = backoff.currentFailure();
    if (recent !== undefined) throw recent;
    const from = await (opening ??= open());
    if (closed) throw storeClosed();
    try {
      const client = await from.connect();
      backoff.succeeded();
      return client;
    } catch (error) {
      const failure = storageFailure(error);
      if (isOutage(failure)) backoff.failed(failure);
      throw failure;
    }
  }

  return {
    usage: () => ({ open: pool?.totalCount ?? 0, waiting: pool?.waitingCount ?? 0 }),
    async use(task) {
      if (closed) throw storeClosed();
      const client = await connect();
      try {
        return await runAndRelease(client, task);
      } catch (error) {
        onFailure?.(error);
        throw error;
      }
    },
    async close() {
      closed = true;
      await pool?.end();
    },
  };
}

async function runAndRelease<T>(client: PoolClient, task: (client: PoolClient) => Promise<T>): Promise<T> {
  let isLost = false;
  const lose = (): void => {
    isLost = true;
  };
  client.on('error', lose);
  try {
    const result = await task(client);
    client.release(isLost);
    return result;
  } catch (error) {
    client.release(isLost || !isReusable(error));
    throw storageFailure(error);
  } finally {
    client.off('error', lose);
  }
}

/** Limits of a pool. Every wait has one. */
interface PoolLimits {
  readonly connections: number;
  /** How long a call waits for a connection. */
  readonly connectMs: number;
  readonly statementMs: number;
  /** How long a statement waits for a lock. */
  readonly lockMs: number;
  /** After this time an unused connection is closed. */
  readonly idleMs: number;
}

/** The server reports its own timeouts. If it is this much later, it does not answer at all. */
const graceMs = 2_000;

/** Makes the pool of connections to a server. It connects at the first call. */
function createPool(driver: PostgresDriver, server: string | PostgresServer, limits: PoolLimits): Pool {
  const pool = new driver.Pool({
    ...driverAddress(server),
    fallback_application_name: 'workflowlookup',
    max: limits.connections,
    connectionTimeoutMillis: limits.connectMs,
    idleTimeoutMillis: limits.idleMs,
    query_timeout: limits.statementMs + graceMs,
    allowExitOnIdle: true,
    keepAlive: true,
    // Every stored number is safe as a JavaScript number.
    types: typesOf(driver),
    onConnect: (client): unknown => client.query(settings, settingsOf(limits)),
  });
  // An idle connection that is lost is replaced when the next call needs one.
  pool.on('error', () => {});
  return pool;
}

function typesOf({ types, TypeOverrides }: PostgresDriver): InstanceType<PostgresDriver['TypeOverrides']> {
  const overrides = new TypeOverrides(types);
  overrides.setTypeParser(types.builtins.INT8, Number);
  return overrides;
}

/**
 * The settings of every connection, whatever the defaults of the server and the user are. A stricter
 * `synchronous_commit` is kept.
 */
const settings = `
  SELECT set_config('search_path', 'workflowlookup', false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('default_transaction_read_only', 'off', false),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit')
      WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
    set_config('statement_timeout', $1, false),
    set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', $3, false)`;

function settingsOf({ statementMs, lockMs }: PoolLimits): string[] {
  return [statementMs, lockMs, statementMs].map(String);
}

/** Keeps calls away from a server that does not answer. */
interface ConnectBackoff {
  /** Returns the last failure while it is too early to try again. */
  currentFailure(): unknown;
  failed(failure: unknown): void;
  succeeded(): void;
}

/**
 * Remembers failures to connect. For a while after one, every call fails at once with the same error. `firstMs` is the
 * time after the first failure. It doubles with each further failure, up to `maxMs`.
 */
export function createConnectBackoff(firstMs: number, maxMs: number): ConnectBackoff {
  let failures = 0;
  let last: { readonly failure: unknown; readonly until: number } | undefined;
  return {
    currentFailure: () => (last !== undefined && performance.now() < last.until ? last.failure : undefined),
    failed(failure) {
      const wait = Math.min(maxMs, firstMs * 2 ** failures);
      failures += 1;
      // A random part keeps replicas from coming back all at once.
      last = { failure, until: performance.now() + wait * (0.5 + Math.random() / 2) };
    },
    succeeded() {
      failures = 0;
      last = undefined;
    },
  };
}

/** Returns the address in the form that the driver needs. A URL itself says whether and how TLS is used. */
export function driverAddress(server: string | PostgresServer): ClientConfig {
  if (typeof server === 'string') {
    if (!/^postgres(ql)?:\/\//.test(server)) throw storageError('address');
    return { connectionString: server };
  }
  const { tls, ...parts } = server;
  return { ...parts, ...(tls !== undefined && { ssl: tls }) };
}

type PostgresDriver = typeof import('pg');

/** Loads the `pg` package, when the first session call needs it. */
export async function loadDriver(
  load: () => Promise<PostgresDriver> = () => import('pg'),
): Promise<PostgresDriver> {
  try {
    return await load();
  } catch (cause) {
    throw new WorkflowError('STORE_UNAVAILABLE', databaseMessages.noPg(), {
      data: { reason: 'no-driver', retryable: false },
      cause,
    });
  }
}
