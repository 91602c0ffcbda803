import { join } from 'node:path';
import type { SessionVault, TokenCodec } from '@workflowlookup/core';
import { createReferenceCodec, createSelfContainedCodec, eitherCodec } from '@workflowlookup/core';
import type { KeyRing } from '@workflowlookup/core';
import { loadKeyRing } from './key-ring/load-key-ring.ts';
import type { SessionOptions } from './session-options.ts';

/** The database and the keys of a state directory, opened when first asked for. */
export interface LazyVault {
  /** Opens them; called again it gives the same, unless that failed. */
  open(): Promise<SessionVault>;
  /** Writes what was left behind and lets everything go, where it was opened. */
  close(): Promise<void>;
}

/** What a vault is made of. */
export interface VaultOptions extends Pick<SessionOptions, 'tokens' | 'environment'> {
  /** Absolute path. */
  readonly stateDirectory: string;
}

/** Makes a vault; nothing is read, written or loaded before it is asked for. */
export function createLazyVault(options: VaultOptions): LazyVault {
  let opening: Promise<SessionVault> | undefined;
  return {
    open() {
      opening ??= openVault(options).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    async close() {
      // One that could not be opened has nothing to write.
      const vault = await opening?.catch(() => undefined);
      await vault?.store.close();
    },
  };
}

async function openVault({ stateDirectory, tokens, environment = {} }: VaultOptions): Promise<SessionVault> {
  const keys = loadKeyRing({ stateDirectory, environment });
  const { createSqliteSessionStore } = await import('@workflowlookup/storage/sqlite');
  const store = createSqliteSessionStore({ file: join(stateDirectory, 'sessions.db') });
  return { store, keys, tokens: codecOf(tokens, keys) };
}

function codecOf(kind: SessionOptions['tokens'], keys: KeyRing): TokenCodec {
  const reference = createReferenceCodec(keys);
  const selfContained = createSelfContainedCodec(keys);
  return kind === 'self-contained'
    ? eitherCodec(selfContained, reference)
    : eitherCodec(reference, selfContained);
}
