import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the bundled workflows are installed. */
export function bundledDirectory(): string {
  return join(installed(), 'definitions');
}

/** The file that says what the bundled workflows are. */
export function bundledCatalogueFile(): string {
  return join(installed(), 'catalogue.json');
}

function installed(): string {
  return dirname(fileURLToPath(import.meta.resolve('@workflowlookup/workflows/package.json')));
}
