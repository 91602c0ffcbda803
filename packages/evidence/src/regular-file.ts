import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

/**
 * Opens a file to read it; `undefined` if there is none, or if it is a folder, a pipe or a device. An agent can put a pipe
 * where a file was, and without the flag for that, opening one would wait for a writer for ever.
 */
export async function openRegular(
  path: Buffer | string,
  { followsLink = true }: { readonly followsLink?: boolean } = {},
): Promise<FileHandle | undefined> {
  // Windows lacks the last two, and has nothing in place of them.
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const flags = O_RDONLY | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW);
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  const found = await file.stat().catch(() => undefined);
  if (found?.isFile() === true) return file;
  await file.close();
  return undefined;
}
