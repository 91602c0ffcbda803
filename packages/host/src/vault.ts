import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionVault, TokenCodec } from '@workflowlookup/core';
import { createReferenceCodec, createSelfContainedCodec, eitherCodec } from '@workflowlookup/core';
import type { KeyRing } from '@workflowlookup/core';
import type { AccessStore, SessionStore, StateStore } from '@workflowlookup/storage';
import { WorkflowError } from '@workflowlookup/schema';
import type { AccessPlace } from './access-place.ts';
import { databaseProblem } from './database-address.ts';
import type { Environment } from './flags.ts';
import { hasTokenKeys } from './key-ring/has-token-keys.ts';
import { loadKeyRing } from './key-ring/load-key-ring.ts';
import { noteSharedRing } from './key-ring/note-shared-ring.ts';
import type { SessionOptions } from './session-options.ts';

/** The database and the keys of sessions, opened when first asked for. */
export interface LazyVault {
  /** Opens both; called again it gives the same, unless that failed. @throws STORAGE */
  open(): Promise<SessionVault>;
  /** Opens the database alone; nothing is made elsewhere for that. */
  store(): Promise<SessionStore>;
  /** The same for who may come in. */
  readonly access: AccessPlace;
  /** Writes what was left behind and lets everything go, where it was opened. */
  close(): Promise<void>;
}

/** What a vault is made of. */
export interface VaultOptions extends Pick<
  SessionOptions,
  'database' | 'tokens' | 'environment' | 'aroundStore'
> {
  /** Absolute path. */
  readonly stateDirectory: string;
}

/** Makes a vault; nothing is read, written or loaded before it is asked for. */
export function createLazyVault(options: VaultOptions): LazyVault {
  const { stateDirectory, database, tokens, environment = {}, aroundStore = (store) => store } = options;
  const file = join(stateDirectory, 'sessions.db');
  let ring: KeyRing | undefined;
  // A database elsewhere has servers with keys of their own: looking into it makes none.
  const keys = (): KeyRing | undefined =>
    (ring ??=
      database === undefined || hasTokenKeys({ stateDirectory, environment })
        ? loadKeyRing({ stateDirectory, environment })
        : undefined);
  const made = (): KeyRing => (ring ??= loadKeyRing({ stateDirectory, environment }));
  const { WORKFLOWLOOKUP_KEYS_NOT_BEFORE: notBefore } = environment;
  const store = keepUnlessFailed(async () =>
    aroundStore(await openStore(file, { database, environment, keys })),
  );
  const access = keepUnlessFailed(async () => accessOf(await store.get(), database));
  const shared = keepUnlessFailed(async () => noteSharedRing(await access.get(), made()));
  const open = keepUnlessFailed(async (): Promise<SessionVault> => {
    const own = made();
    const opened = await store.get();
    if (database !== undefined) await noteSharedRing(opened.access, own);
    return { store: opened, keys: own, tokens: codecOf(tokens, own) };
  });
  return {
    open: open.get,
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
      // One that could not be opened has nothing to write.
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

/** Loads the one of the databases that is used. */
async function openStore(file: string, { database, environment, keys }: DatabasePlace): Promise<StateStore> {
  if (database !== undefined) {
    const problem = databaseProblem(database, environment);
    if (problem !== undefined)
      throw new WorkflowError('STORAGE', `The address of the database ${problem}.`, {
        data: { reason: 'address', retryable: false },
      });
    const { createPostgresSessionStore } = await import('@workflowlookup/storage/postgres');
    return createPostgresSessionStore({ server: database, keys });
  }
  const { createSqliteSessionStore } = await import('@workflowlookup/storage/sqlite');
  return createSqliteSessionStore({ file, keys });
}

/** A database on this machine is asked each time; one elsewhere is not. */
async function accessOf({ access }: StateStore, database: string | undefined): Promise<AccessStore> {
  if (database === undefined) return access;
  const { cachedAccess } = await import('./cached-access.ts');
  return cachedAccess(access);
}

function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // It can't be looked at: opening it says why.
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
    ? eitherCodec(selfContained, reference)
    : eitherCodec(reference, selfContained);
}
