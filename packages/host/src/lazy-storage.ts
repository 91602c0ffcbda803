import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionStorage } from '@workflowlookup/core/sessions';
import type { KeyRing, TokenCodec } from '@workflowlookup/core/tokens';
import {
  createReferenceCodec,
  createSelfContainedCodec,
  createCombinedCodec,
} from '@workflowlookup/core/tokens';
import { WorkflowError } from '@workflowlookup/schema';
import type { AccessStore, SessionStore, StateStore } from '@workflowlookup/storage';
import type { AuditLog } from './audit.ts';
import type { Environment } from './flags.ts';
import { hasTokenKeys, loadKeyRing, noteSharedRing } from './access/token-keys.ts';
import type { SessionOptions } from './options.ts';
import { databaseProblem } from './options.ts';
import { placeMessages } from './messages.ts';

/** The database of API keys and ended sign-ins, opened on first use. */
export interface AccessDatabase {
  /** Opens the database; later calls return the same store. @throws STORE_UNAVAILABLE, KEYS_UNUSABLE */
  open(): Promise<AccessStore>;
  /** Whether the database exists. This check creates nothing. */
  isMade(): boolean;
  /**
   * Returns the keys that authenticate records of API keys; `undefined` if this machine has none for that database.
   * @throws KEYS_UNUSABLE
   */
  knownKeys(): KeyRing | undefined;
  /** Returns the same keys, and makes them first if there are none. @throws KEYS_UNUSABLE if other servers of the database use different keys */
  sharedKeys(): Promise<KeyRing>;
  /** The state directory. It may not exist yet. */
  readonly directory: string;
  /** Keys that were made before this time are refused; ISO 8601. */
  readonly notBefore?: string;
  /** Records who makes and revokes keys. */
  readonly audit?: AuditLog;
}

/** The database and the keys of sessions, opened on first use. */
interface LazyStorage {
  /** Opens both. Later calls return the same vault, unless the first one failed. @throws STORE_UNAVAILABLE, KEYS_UNUSABLE */
  open(): Promise<SessionStorage>;
  /** Returns the keys, and makes them first if there are none. @throws KEYS_UNUSABLE */
  keys(): KeyRing;
  /** Opens the database only. It creates no keys. */
  store(): Promise<SessionStore>;
  /** API keys and ended sign-ins. */
  readonly access: AccessDatabase;
  /** Writes what is pending and closes everything that was opened. */
  close(): Promise<void>;
}

/** Options of `createLazyStorage`. */
interface LazyStorageOptions extends Pick<
  SessionOptions,
  'database' | 'tokens' | 'environment' | 'wrapStore'
> {
  /** Absolute path. */
  readonly stateDirectory: string;
}

/** Creates a vault. Nothing is read, written or loaded before the first use. */
export function createLazyStorage(options: LazyStorageOptions): LazyStorage {
  const { stateDirectory, database, tokens, environment = {}, wrapStore = (store) => store } = options;
  const file = join(stateDirectory, 'sessions.db');
  let ring: KeyRing | undefined;
  // A database on another machine belongs to servers that have their own keys, so reading it creates none here.
  const keys = (): KeyRing | undefined =>
    (ring ??=
      database === undefined || hasTokenKeys({ stateDirectory, environment })
        ? loadKeyRing({ stateDirectory, environment })
        : undefined);
  const made = (): KeyRing => (ring ??= loadKeyRing({ stateDirectory, environment }));
  const { WORKFLOWLOOKUP_KEYS_NOT_BEFORE: notBefore } = environment;
  const store = keepUnlessFailed(async () =>
    wrapStore(await openStore(file, { database, environment, keys })),
  );
  const access = keepUnlessFailed(async () => accessOf(await store.get(), database));
  const shared = keepUnlessFailed(async () => noteSharedRing(await access.get(), made()));
  const open = keepUnlessFailed(async (): Promise<SessionStorage> => {
    const own = made();
    const opened = await store.get();
    if (database !== undefined) await noteSharedRing(opened.access, own);
    return { store: opened, keys: own, tokens: codecOf(tokens, own) };
  });
  return {
    open: open.get,
    keys: made,
    store: store.get,
    access: {
      open: access.get,
      isMade: () => database !== undefined || isThere(file),
      knownKeys: keys,
      async sharedKeys() {
        if (database !== undefined) await shared.get();
        return made();
      },
      directory: stateDirectory,
      ...(notBefore !== undefined && { notBefore }),
    },
    async close() {
      // A database that could not be opened has nothing to write.
      const opened = await store.current()?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** Which database is used, and the keys that authenticate its rows. */
interface DatabasePlace {
  readonly database: string | undefined;
  readonly environment: Environment;
  readonly keys: () => KeyRing | undefined;
}

/** Loads the driver of the database in use. */
async function openStore(file: string, { database, environment, keys }: DatabasePlace): Promise<StateStore> {
  if (database !== undefined) {
    const problem = databaseProblem(database, environment);
    if (problem !== undefined)
      throw new WorkflowError('STORE_UNAVAILABLE', placeMessages.wrongAddress(problem), {
        data: { reason: 'address', retryable: false },
      });
    const { createPostgresSessionStore } = await import('@workflowlookup/storage/postgres');
    return createPostgresSessionStore({ server: database, keys });
  }
  const { createSqliteSessionStore } = await import('@workflowlookup/storage/sqlite');
  return createSqliteSessionStore({ file, keys });
}

/** Lookups in a database on another machine are cached. */
async function accessOf({ access }: StateStore, database: string | undefined): Promise<AccessStore> {
  if (database === undefined) return access;
  const { cachedAccess } = await import('./access/cached-access.ts');
  return cachedAccess(access);
}

function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The file can't be examined. Opening it reports the reason.
    return true;
  }
}

interface Kept<T> {
  get(): Promise<T>;
  current(): Promise<T> | undefined;
}

function keepUnlessFailed<T>(make: () => Promise<T>): Kept<T> {
  let making: Promise<T> | undefined;
  return {
    get() {
      making ??= make().catch((error: unknown) => {
        making = undefined;
        throw error;
      });
      return making;
    },
    current: () => making,
  };
}

function codecOf(kind: SessionOptions['tokens'], keys: KeyRing): TokenCodec {
  const reference = createReferenceCodec(keys);
  const selfContained = createSelfContainedCodec(keys);
  return kind === 'self-contained'
    ? createCombinedCodec(selfContained, reference)
    : createCombinedCodec(reference, selfContained);
}
