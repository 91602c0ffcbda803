import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LinesFile } from './lines-file.ts';
import { createLinesFile } from './lines-file.ts';
import { stateFileError } from './state-file-error.ts';

/** Ids that were revoked before their time, in the state directory, for every server that uses it. */
export interface RevokedIds {
  /** Keeps an id until that time, in milliseconds since the epoch. @throws STORAGE */
  add(id: string, untilMs: number): Promise<void>;
  /** @throws STORAGE */
  has(id: string, untilMs: number): Promise<boolean>;
}

const folder = 'revoked';

/** Opens them: a file for each day on which ids end by themselves, and none for days that are over. */
export function openRevokedIds(stateDirectory: string, now: () => number = () => Date.now()): RevokedIds {
  const days = new Map<string, LinesFile>();
  const path = join(stateDirectory, folder);

  function fileOf(untilMs: number): LinesFile {
    const day = dayOf(untilMs);
    const file = days.get(day) ?? createLinesFile(join(path, day));
    days.set(day, file);
    return file;
  }

  function dropOld(): void {
    const today = dayOf(now());
    for (const day of readdirSync(path).filter((name) => name < today)) {
      rmSync(join(path, day), { force: true });
      days.delete(day);
    }
  }

  return {
    add: async (id, untilMs) =>
      guarded(() => {
        fileOf(untilMs).append(id);
        dropOld();
      }),
    has: async (id, untilMs) => guarded(() => fileOf(untilMs).read().includes(id)),
  };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function guarded<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw stateFileError('The ended sessions', error);
  }
}
