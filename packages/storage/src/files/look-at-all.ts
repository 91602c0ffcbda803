import { dirname } from 'node:path';
import { forEachLimit } from '../for-each-limit.ts';
import { lookAtFolder, workflowOf } from './look-at-folder.ts';
import { lookAt } from './look-at.ts';
import type { Scan } from './scan-directory.ts';
import { concurrency } from './scan-directory.ts';
import type { FoundFile } from './scan-folder.ts';
import type { FoundWorkflow } from './scan-workflow-folder.ts';

/** What has to be read, and what is gone. */
export interface Work {
  readonly files: Iterable<readonly [path: string, found: FoundFile]>;
  readonly workflows: Iterable<FoundWorkflow>;
  readonly removed: readonly string[];
}
/** Looks at real paths that events named; `fileAt` is the name of the definition the last scan found at one. */
export async function lookAtAll(
  scan: Scan,
  paths: Iterable<string>,
  fileAt: (path: string) => string | undefined,
): Promise<Work | 'rescan'> {
  const files = new Map<string, FoundFile>();
  const folders = new Set<string>();
  const removed: string[] = [];
  const workflows: FoundWorkflow[] = [];
  let isEnough = true;
  await forEachLimit(paths, concurrency, async (path) => {
    const workflow = workflowOf(scan, path);
    if (workflow !== undefined) folders.add(workflow);
    if (workflow !== undefined && !isPlain(scan, path)) return;
    const found = isTarget(scan, path) ? 'rescan' : await lookAt(scan, path, fileAt(path));
    if (found === 'rescan') isEnough = false;
    else if (found === 'gone') removed.push(path);
    else if (found !== 'nothing') files.set(path, found);
  });
  await forEachLimit(isEnough ? folders : [], concurrency, async (path) => {
    const found = await lookAtFolder(scan, path);
    if (found === 'rescan') isEnough = false;
    else workflows.push(found);
  });
  return isEnough ? { files, workflows, removed } : 'rescan';
}

/** A change at what a link in the folder of an activity workflow leads to. */
function isTarget({ targets }: Scan, path: string): boolean {
  return targets.has(path) || targets.has(dirname(path));
}

/** Whether a change in the folder of an activity workflow may be one of a definition beside it, because of a link. */
function isPlain(scan: Scan, path: string): boolean {
  if (scan.workflows.has(path)) return false;
  return isTarget(scan, path) || scan.files.has(path) || scan.folders.get(dirname(path))?.file !== undefined;
}
