import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Returns the path of a state directory that does not exist yet. Its parent folder is deleted after the test. */
export function tempState(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'key-ring-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return join(root, 'state');
}
