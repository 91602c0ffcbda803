import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import type { SourceOptions } from './sources/sources.ts';
import { bundledSource, sourcesOf } from './sources/sources.ts';

/** The folder of the bundled workflows. */
export function bundledDirectory(): string {
  return join(installed(), 'definitions');
}

/**
 * Returns whether a file belongs to the package of bundled workflows: a definition, the catalogue or its
 * `package.json`.
 */
export function isOfBundledPackage(path: string): boolean {
  const beside = ['catalogue.json', 'package.json'].map((name) => join(installed(), name));
  return path.startsWith(bundledDirectory() + sep) || beside.includes(path);
}

function installed(): string {
  return dirname(fileURLToPath(import.meta.resolve('@workflowlookup/workflows/package.json')));
}

/** The summary of a bundled workflow, as read from its definition. */
export interface BundledWorkflow extends WorkflowSummary {
  readonly kind: Workflow['kind'];
  readonly digest: string;
  /** The file that serves it, from the directory of the bundled workflows. */
  readonly file: string;
}

/**
 * Returns the bundled workflows, sorted by id. The catalogue was generated when the package was built, so no definition
 * has to be read for it. A test compares it with the definitions.
 */
export function bundledCatalogue(): readonly BundledWorkflow[] {
  return JSON.parse(readFileSync(join(installed(), 'catalogue.json'), 'utf8')) as readonly BundledWorkflow[];
}

/**
 * Returns the bundled workflows from their catalogue if no other source has a definition, and otherwise `undefined`. To
 * list them, no definition has to be read and no engine loaded.
 */
export function bundledAlone(options: SourceOptions): readonly BundledWorkflow[] | undefined {
  const sources = sourcesOf(options, bundledDirectory());
  const others = sources.filter(({ name }) => name !== bundledSource);
  if (!others.every(({ directory }) => isEmpty(directory))) return undefined;
  return others.length === sources.length ? [] : bundledCatalogue();
}

function isEmpty(directory: string): boolean {
  try {
    return readdirSync(directory).length === 0;
  } catch (error) {
    // Other errors are reported when the directory is read.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
