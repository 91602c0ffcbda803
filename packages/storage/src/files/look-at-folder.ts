import { basename, dirname } from 'node:path';
import { mayBePart } from './names.ts';
import type { Scan } from './scan-directory.ts';
import type { FoundWorkflow } from './scan-workflow-folder.ts';
import { scanWorkflowFolder } from './scan-workflow-folder.ts';

/** Real path of the activity workflow that a change at a real path may be one of. */
export function workflowOf(scan: Scan, path: string): string | undefined {
  if (scan.workflows.has(path)) return path;
  const workflow = scan.folders.get(dirname(path))?.workflow;
  return workflow !== undefined && mayBePart(basename(path)) ? workflow : undefined;
}

/** Looks at the folder of an activity workflow again; `'rescan'` when other folders or links matter now. */
export async function lookAtFolder(scan: Scan, path: string): Promise<FoundWorkflow | 'rescan'> {
  const known = scan.workflows.get(path);
  if (known === undefined || scan.root === undefined || known.links.size > 0) return 'rescan';
  const found = await scanWorkflowFolder(scan.root, known.place);
  if (found === undefined || found.links.size > 0) return 'rescan';
  return isSame(known.folders, found.folders) ? found : 'rescan';
}

function isSame(known: FoundWorkflow['folders'], found: FoundWorkflow['folders']): boolean {
  return (
    known.size === found.size &&
    [...found].every(([path, { identity }]) => known.get(path)?.identity === identity)
  );
}
