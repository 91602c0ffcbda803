import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** The folder, or the nearest one above it that is there. */
export function existingPart(folder: string): string {
  const parent = dirname(folder);
  return existsSync(folder) || parent === folder ? folder : existingPart(parent);
}
