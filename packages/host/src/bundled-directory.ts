import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the bundled workflows are installed. */
export function bundledDirectory(): string {
  const manifest = import.meta.resolve('@workflowlookup/workflows/package.json');
  return join(dirname(fileURLToPath(manifest)), 'definitions');
}
