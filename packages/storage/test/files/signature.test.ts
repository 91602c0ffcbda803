import { lstat, utimes } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { signatureOf } from '../../src/files/paths.ts';
import { tempFolder } from '../support/temp-folder.ts';

const tomorrow = Date.now() + 86_400_000;

async function signature(path: string, nowMs = tomorrow): Promise<string> {
  return signatureOf(await lstat(path, { bigint: true }), nowMs);
}

it('The signature of an unchanged file stays the same', async () => {
  const folder = await tempFolder();
  await folder.write('a', 'text');
  expect(await signature(folder.path('a'))).toBe(await signature(folder.path('a')));
  expect(await signature(folder.path('a'))).not.toBe('');
});

it('The signature changes if a file is written and its size and time are restored', async () => {
  const folder = await tempFolder();
  const path = folder.path('a');
  await folder.write('a', 'text');
  const { mtimeMs } = await lstat(path);
  const before = await signature(path);
  await expect
    .poll(async () => {
      await folder.write('a', 'next');
      await utimes(path, mtimeMs / 1000, mtimeMs / 1000);
      return signature(path);
    })
    .not.toBe(before);
});

it('The signature is empty for a file that was changed within the resolution of the clock', async () => {
  const folder = await tempFolder();
  await folder.write('a', 'text');
  const { ctimeMs } = await lstat(folder.path('a'));
  expect(await signature(folder.path('a'), ctimeMs + 20)).toBe('');
  expect(await signature(folder.path('a'), ctimeMs + 200)).not.toBe('');
});
