import type { HostOptions } from '@workflowlookup/host';
import { bundledAlone } from '@workflowlookup/host/bundled';
import type { Environment } from '@workflowlookup/host/flags';
import { placeProblem, readHostFlags } from '@workflowlookup/host/flags';
import type { WorkflowSummary } from '@workflowlookup/schema';
import { columns, jsonText, printable } from '../terminal/plain-text.ts';

/** A workflow in a list. */
export type ListedWorkflow = WorkflowSummary & { readonly source?: string; readonly file?: string };

/**
 * Returns what `list` prints if only bundled workflows are served, and otherwise `undefined`. Agents and scripts list
 * workflows often, so it needs neither the parser of the command line nor the engine.
 */
export function printedBundledList(env: Environment, asJson: boolean): string | undefined {
  const options = readHostFlags({}, env);
  // The other way to list workflows reports what is wrong.
  if (typeof options === 'string' || placeProblem(options) !== undefined) return undefined;
  const workflows = listBundled(options);
  if (workflows === undefined) return undefined;
  return asJson
    ? `${jsonText({ workflows, refused: 0, untrusted: 0 }, 2)}\n`
    : printable(`${listText(workflows)}\n`);
}

/**
 * Returns the bundled workflows if no other source has a definition, and otherwise `undefined`. `meta` only provides
 * shared parts, so the list leaves it out. `show meta` still finds it.
 */
export function listBundled(options: HostOptions): readonly ListedWorkflow[] | undefined {
  return bundledAlone(options)
    ?.filter(({ id }) => id !== 'meta')
    .map(({ kind: _kind, digest: _digest, ...summary }) => ({ ...summary, source: 'bundled' }));
}

/** Formats a list for people. */
export function listText(workflows: readonly ListedWorkflow[]): string {
  if (workflows.length === 0) return 'No workflows.';
  return columns([
    ['WORKFLOW', 'VERSION', 'SOURCE', 'NAME'],
    ...workflows.map(({ id, version, source = '', name }) => [id, version, source, name]),
  ]);
}
