import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The folder of one test. It contains `workflows`, which is the source, and files outside of the source. */
export interface TempFolder {
  readonly source: string;
  path(...parts: readonly string[]): string;
  /** Writes a file in the folder and creates its parent folders. An object is written as JSON. */
  write(file: string, content: string | Uint8Array | object): Promise<void>;
}

/** Makes an empty folder that is deleted after the test. */
export async function tempFolder(): Promise<TempFolder> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'workflows-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const path = (...parts: readonly string[]): string => join(root, ...parts);
  await mkdir(path('workflows'));
  return {
    source: path('workflows'),
    path,
    async write(file, content) {
      await mkdir(dirname(path(file)), { recursive: true });
      const isRaw = typeof content === 'string' || content instanceof Uint8Array;
      await writeFile(path(file), isRaw ? content : JSON.stringify(content));
    },
  };
}
