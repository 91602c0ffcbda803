import type { UntrustedDefinition } from '@workflowlookup/core';
import type { Host } from '@workflowlookup/host';
import type { BundledWorkflow } from '@workflowlookup/host/bundled';
import { bundledAlone } from '@workflowlookup/host/bundled';
import type { WorkflowSummary } from '@workflowlookup/schema';
import type { CommandLine } from '../command-line.ts';
import type { SourceFlags } from './add-definition-command.ts';
import { hostOptionsOf } from './host-options.ts';

/** What is served, and from where. */
export interface Listing {
  readonly workflows: readonly (WorkflowSummary & { readonly source?: string; readonly file?: string })[];
  /** How many definitions are not served. */
  readonly refused: number;
  /** The definitions of the project that are not served because no person has trusted them. */
  readonly untrusted: readonly UntrustedDefinition[];
}

/** Finds what is served. Where that is the bundled workflows alone, no engine is loaded to say so. */
export async function findListing(line: CommandLine, flags: SourceFlags): Promise<Listing> {
  const options = await hostOptionsOf(line, flags);
  const bundled = bundledAlone(options);
  if (bundled !== undefined)
    return { workflows: bundled.filter(isListed).map(entryOf), refused: 0, untrusted: [] };
  const { withHost } = await import('./with-host.ts');
  return withHost(line, flags, readListing);
}

/** `meta` lends to all others and is found by its id alone. */
function isListed({ id }: BundledWorkflow): boolean {
  return id !== 'meta';
}

function entryOf({
  kind: _kind,
  digest: _digest,
  file,
  ...summary
}: BundledWorkflow): Listing['workflows'][number] {
  return { ...summary, source: 'bundled', file };
}

async function readListing({ engine, definitions }: Host): Promise<Listing> {
  const { workflows: summaries, problems = [], untrusted = [] } = await engine.list();
  const workflows = await Promise.all(
    summaries.map(async (summary) => ({ ...summary, ...(await definitions.origin(summary.id)) })),
  );
  const refused = problems.filter(({ severity }) => severity === 'error').length;
  return { workflows, refused, untrusted };
}
