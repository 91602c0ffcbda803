import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Returns the path of a state directory that does not exist yet. Its parent folder is deleted after the test. */
export function tempState(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'key-ring-')));
  made.push(root);
  return join(root, 'state');
}
