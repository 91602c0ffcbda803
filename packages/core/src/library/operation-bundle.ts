import type { ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';
import { coreOperations } from './core-operations.ts';
import type { Library, Scope } from './library.ts';
import type { ResolvedElement } from './resolve-operations.ts';
import { resolveOperations } from './resolve-operations.ts';
import { toToon } from './to-toon.ts';

/** An element as a bundle holds it, under the reference by which texts name it. */
export type BundleEntry = Pick<ResolvedElement, 'ref' | 'type' | 'body'>;

/** The operations, rules and errors an agent gets ahead of a text. */
export interface OperationBundle {
  readonly entries: readonly BundleEntry[];
  /** Names what the bundle says: two with the same digest are the same to read. */
  readonly digest: string;
}

/** What an orchestrator works with: what the workflow declares and the core set. Without a workflow, the core set. */
export function orchestratorBundle(library: Library, workflow?: ActivityWorkflow): OperationBundle {
  return bundle(workflow?.definition.operations ?? [], coreOperations(library, 'orchestrator'), {
    library,
    workflowId: workflow?.id,
  });
}

/** What a worker works with: what the activity declares and the core set. Without an activity, the core set. */
export function workerBundle(
  library: Library,
  workflow?: ActivityWorkflow,
  activity?: ActivityPart,
): OperationBundle {
  return bundle(activity?.definition.operations ?? [], coreOperations(library, 'worker'), {
    library,
    workflowId: workflow?.id,
    lender: activity?.lender,
  });
}

/** A bundle in TOON: the name of its digest, then its entries. */
export function bundleText({ entries, digest }: OperationBundle): Promise<string> {
  return toToon({ bundle: nameOf(digest), operations: entries });
}

/** What stands for a bundle that the agent has already. */
export function unchangedLine(digest: string): string {
  return `bundle: unchanged ${nameOf(digest)} (full: true sends it again)`;
}

/** Enough of a digest to tell the bundles of a session apart: a model reads every digit. */
function nameOf(digest: string): string {
  return digest.slice(0, 'sha256:'.length + 8);
}

function bundle(declared: readonly string[], core: readonly string[], scope: Scope): OperationBundle {
  const wanted = new Set(declared);
  const resolved = resolveOperations([...new Set([...declared, ...core])], scope);
  const entries = withoutRepeats(
    // Core sets name more than every meta workflow has; what an author declares and nobody has is shown.
    resolved.filter(({ ref, type }) => type !== 'not-found' || wanted.has(ref)),
  ).map(({ ref, type, body }) => ({ ref, type, ...(body !== undefined && { body }) }));
  return { entries, digest: digestOf(entries) };
}

/** Two references may lead to one element; the first one shows it. */
function withoutRepeats(elements: readonly ResolvedElement[]): readonly ResolvedElement[] {
  const seen = new Set<string>();
  return elements.filter(({ ref, workflow, source, name, type }) => {
    const identity = JSON.stringify(type === 'not-found' ? [ref] : [workflow, source, type, name]);
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
}
