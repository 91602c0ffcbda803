import { readFileSync } from 'node:fs';
import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { bundledCatalogueFile } from './bundled-directory.ts';

/** A bundled workflow, as reading its definition would tell. */
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

/** What a list shows of a bundled workflow. */
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
