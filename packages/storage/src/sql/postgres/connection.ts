import { WorkflowError } from '@workflowlookup/schema';
import type { PoolClient, QueryConfig } from 'pg';
import type { FailureText } from '../../messages.ts';
import { databaseMessages, postgresFailures } from '../../messages.ts';
import { systemCode } from '../../utilities.ts';
import type { SqlRow, SqlValue } from '../stored-session.ts';
import { migrate } from './migrations.ts';
import type { ClientPool } from './pool.ts';

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
}

/** A sequence of statements. It runs once. */
export type Task<T> = (db: PostgresDatabase) => Promise<T>;

/** Access to one database. Every single statement is a transaction. */
export interface Connection extends PostgresDatabase {
  /** Runs a task on one connection, with each statement in a transaction of its own. */
  run<T>(task: Task<T>): Promise<T>;
  /**
   * Runs a task in one transaction, which is on disk when the promise resolves. If the task fails, nothing is changed.
   */
  write<T>(task: Task<T>): Promise<T>;
}

/** Makes a connection from a pool. The first call migrates the database. */
export function createConnection({ use: withClient }: Pick<ClientPool, 'use'>): Connection {
  let migrating: Promise<void> | undefined;

  function migrated(): Promise<void> {
    migrating ??= withClient((client) => migrate((step) => transact(client, step), databaseOf(client))).catch(
      (error: unknown) => {
        migrating = undefined;
        throw error;
      },
    );
    return migrating;
  }

  async function use<T>(task: (client: PoolClient) => Promise<T>): Promise<T> {
    await migrated();
    return withClient(task);
  }

  return {
    all: (sql, values) => use((client) => databaseOf(client).all(sql, values)),
    once: (sql, values) => use((client) => databaseOf(client).once(sql, values)),
    run: (task) => use((client) => task(databaseOf(client))),
    write: (task) => use((client) => transact(client, task)),
  };
}

async function transact<T>(client: PoolClient, task: Task<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await task(databaseOf(client));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that may be in a bad state is closed, which ends its transaction.
    if (isReusable(error)) await client.query('ROLLBACK');
    throw error;
  }
}

function databaseOf(client: PoolClient): PostgresDatabase {
  return {
    all: async (text, values = []) => rowsOf(client, { name: nameOf(text), text, values: [...values] }),
    once: async (text, values = []) => rowsOf(client, { text, values: [...values] }),
  };
}

async function rowsOf(client: PoolClient, statement: QueryConfig<BoundValue[]>): Promise<readonly SqlRow[]> {
  return (await client.query<SqlRow>(statement)).rows;
}

const names = new Map<string, string>();

/** Returns the name under which a connection prepares a statement. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `statement-${names.size + 1}`;
  names.set(text, name);
  return name;
}

interface Failure extends FailureText {
  readonly reason: string;
  /** Whether the same call may succeed in a moment. */
  readonly retryable: boolean;
}

const unavailable: Failure = { reason: 'unavailable', ...postgresFailures.unavailable, retryable: true };
const busy: Failure = { reason: 'busy', ...postgresFailures.busy, retryable: true };
const slow: Failure = { reason: 'timeout', ...postgresFailures.slow, retryable: true };
const readOnly: Failure = { reason: 'read-only', ...postgresFailures.readOnly, retryable: true };
const full: Failure = { reason: 'disk-full', ...postgresFailures.full, retryable: false };
const denied: Failure = { reason: 'denied', ...postgresFailures.denied, retryable: false };
const absent: Failure = { reason: 'no-database', ...postgresFailures.noDatabase, retryable: false };
const gone: Failure = { reason: 'gone', ...postgresFailures.gone, retryable: false };
const unsafe: Failure = { reason: 'tls', ...postgresFailures.tls, retryable: false };
const misnamed: Failure = { reason: 'address', ...postgresFailures.badAddress, retryable: false };
const damaged: Failure = { reason: 'corrupt', ...postgresFailures.damaged, retryable: false };

/** Failures by SQLSTATE or its first two characters. The full code takes precedence. */
const bySqlState: Readonly<Record<string, Failure>> = {
  '08': unavailable,
  '25006': readOnly,
  '25P03': slow,
  '25P04': slow,
  '28': denied,
  '3D': absent,
  '3F': gone,
  '40': busy,
  '42501': denied,
  '42P01': gone,
  '53': busy,
  '53100': full,
  '55P03': busy,
  '57': unavailable,
  '57014': slow,
  XX001: damaged,
  XX002: damaged,
};

/** Failures that only the driver's messages tell apart. */
const byMessage: readonly (readonly [RegExp, Failure])[] = [
  [/^timeout exceeded when trying to connect$/, busy],
  [/^Query read timeout$/, slow],
  [/SSL|TLS|certificate/i, unsafe],
  [/^Invalid URL$/, misnamed],
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
export function isReusable(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return error instanceof WorkflowError;
  return state === '57014' || ['22', '23', '40', '42', '55'].includes(state.slice(0, 2));
}

/** Whether the server could not be reached, as opposed to being overloaded. */
export function isOutage(error: unknown): boolean {
  return error instanceof WorkflowError && error.data['reason'] === unavailable.reason;
}

/**
 * Converts a failure of the driver or the server into an error for the caller, without the address or the user. Other
 * errors are returned unchanged.
 */
export function storageFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof WorkflowError) return error;
  const state = sqlState(error);
  if (state !== undefined) return serverFailure(state, error);
  // The only files in an address are certificates and keys.
  if ('syscall' in error && error.syscall === 'open') return storageError(unsafe);
  if (isSystemCode(systemCode(error))) return storageError(unavailable);
  const byWords = byMessage.find(([words]) => words.test(error.message))?.[1];
  if (byWords !== undefined) return storageError(byWords);
  const isOurs = [TypeError, RangeError, SyntaxError, ReferenceError].some((kind) => error instanceof kind);
  return isOurs ? error : storageError(unavailable);
}

export function unreadableAddress(): WorkflowError {
  return storageError(misnamed);
}

/** Whether the network or a socket failed. Codes that begin with `ERR_` are Node's own. */
function isSystemCode(code: string): boolean {
  return /^E(?!RR_)[A-Z_]+$/.test(code);
}

function serverFailure(state: string, error: Error): WorkflowError {
  const failure = bySqlState[state] ?? bySqlState[state.slice(0, 2)];
  if (failure !== undefined) return storageError(failure);
  return storageError({ reason: 'unknown', ...postgresFailures.unknown(state), retryable: false }, error);
}

function storageError(failure: Failure, cause?: unknown): WorkflowError {
  return new WorkflowError(
    failure.reason === damaged.reason ? 'STORE_DAMAGED' : 'STORE_UNAVAILABLE',
    databaseMessages.failed(failure),
    {
      data: { reason: failure.reason, retryable: failure.retryable },
      cause,
    },
  );
}
