import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionVault, TokenCodec } from '@workflowlookup/core';
import { createReferenceCodec, createSelfContainedCodec, eitherCodec } from '@workflowlookup/core';
import type { KeyRing } from '@workflowlookup/core';
import type { SessionStore } from '@workflowlookup/storage';
import { loadKeyRing } from './key-ring/load-key-ring.ts';
import type { SessionOptions } from './session-options.ts';

/** The database and the keys of sessions, opened when first asked for. */
export interface LazyVault {
  /** Opens both; called again it gives the same, unless that failed. */
  open(): Promise<SessionVault>;
  /** Opens the database alone; whoever needs no tokens makes no keys. */
  store(): Promise<SessionStore>;
  /** Whether there is a database; nothing is made by asking. */
  isMade(): boolean;
  /** Writes what was left behind and lets everything go, where it was opened. */
  close(): Promise<void>;
}

/** What a vault is made of. */
export interface VaultOptions extends Pick<SessionOptions, 'database' | 'tokens' | 'environment'> {
  /** Absolute path. */
  readonly stateDirectory: string;
}

/** Makes a vault; nothing is read, written or loaded before it is asked for. */
export function createLazyVault(options: VaultOptions): LazyVault {
  const { stateDirectory, database, tokens, environment = {} } = options;
  const file = join(stateDirectory, 'sessions.db');
  const store = keepUnlessFailed(() => openStore(file, database));
  const open = keepUnlessFailed(async (): Promise<SessionVault> => {
    const keys = loadKeyRing({ stateDirectory, environment });
    return { store: await store.get(), keys, tokens: codecOf(tokens, keys) };
  });
  return {
    open: open.get,
    store: store.get,
    isMade: () => database !== undefined || isThere(file),
    async close() {
      // One that could not be opened has nothing to write.
      const opened = await store.current()?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** Loads the one of the databases that is used. */
async function openStore(file: string, database: string | undefined): Promise<SessionStore> {
  if (database !== undefined) {
    const { createPostgresSessionStore } = await import('@workflowlookup/storage/postgres');
    return createPostgresSessionStore({ server: database });
  }
  const { createSqliteSessionStore } = await import('@workflowlookup/storage/sqlite');
  return createSqliteSessionStore({ file });
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
