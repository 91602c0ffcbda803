import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import type { SourceOptions } from './sources.ts';
import { bundledSource, sourcesOf } from './sources.ts';

/** Where the bundled workflows are installed. */
export function bundledDirectory(): string {
  return join(installed(), 'definitions');
}

/** The file that says what the bundled workflows are. */
function bundledCatalogueFile(): string {
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

/** The summary of a bundled workflow, as read from its definition. */
export interface BundledWorkflow extends WorkflowSummary {
  readonly kind: Workflow['kind'];
  readonly digest: string;
  /** The file that serves it, from the directory of the bundled workflows. */
  readonly file: string;
}

/**
 * The bundled workflows, sorted by id. What is installed never changes, so what its definitions say was read when they
 * were packed: nobody waits for a dozen of them who needs one or none. A test holds the list against the definitions.
 */
export function bundledCatalogue(): readonly BundledWorkflow[] {
  return JSON.parse(readFileSync(bundledCatalogueFile(), 'utf8')) as readonly BundledWorkflow[];
}

export function summaryOf({
  id,
  name,
  description,
  category,
  version,
  tags,
}: BundledWorkflow): WorkflowSummary {
  return { id, name, description, category, version, tags };
}

/**
 * What is served where no source but that of the bundled workflows has anything in it: then nothing has to be read, and
 * no engine loaded, to say so. `undefined` where there is more to look at.
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
