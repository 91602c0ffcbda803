import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the bundled workflows are installed. */
export function bundledDirectory(): string {
  return join(installed(), 'definitions');
}

/** The file that says what the bundled workflows are. */
export function bundledCatalogueFile(): string {
  return join(installed(), 'catalogue.json');
}

/** Whether a file is one of the package of the bundled workflows: its definitions, its catalogue or its `package.json`. */
export function isOfBundledPackage(path: string): boolean {
  const beside = [bundledCatalogueFile(), join(installed(), 'package.json')];
  return path.startsWith(bundledDirectory() + sep) || beside.includes(path);
}

function installed(): string {
  return dirname(fileURLToPath(import.meta.resolve('@workflowlookup/workflows/package.json')));
}
