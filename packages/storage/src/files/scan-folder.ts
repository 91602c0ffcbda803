import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DefinitionProblem } from '../workflow-store.ts';
import { systemCode } from '../system-code.ts';
import { fileProblem, hiddenName, notRegular } from './file-problem.ts';
import { identifyFolder } from './identify-directory.ts';
import { below, isActivityWorkflowName, isDefinitionName, isLeftOut, visibleName } from './names.ts';
import type { ScanOptions } from './scan-options.ts';
import { isWanted } from './scan-options.ts';
import type { FoundWorkflow } from './scan-workflow-folder.ts';
import { scanWorkflowFolder } from './scan-workflow-folder.ts';

/** A definition file that a scan found. */
export interface FoundFile {
  /** Path relative to the source. */
  readonly file: string;
  /** What `signatureOf` says of it, `''` where that is not known. */
  readonly signature: string;
}

/** A folder whose changes matter to a source. */
export interface FoundFolder {
  /** Path relative to the source; absent when its files are not definitions of the source. */
  readonly file?: string;
  /** Real path of the activity workflow it belongs to. */
  readonly workflow?: string;
  /** As `identifyFolder` says. */
  readonly identity: string;
}

/** A folder or link on the way of a scan. */
export interface Place {
  readonly path: string;
  /** The name it was reached by, relative to the source. */
  readonly file: string;
  /** Folders below the source; the source itself is 0. */
  readonly depth: number;
}

/** What a scan has found so far. */
export interface ScanDraft {
  /** What to call the source itself in a problem. */
  readonly name: string;
  /** Real path of the source. */
  readonly root: string;
  readonly options: ScanOptions;
  /** By real path. */
  readonly workflows: Map<string, FoundWorkflow>;
  readonly files: Map<string, FoundFile>;
  readonly folders: Map<string, FoundFolder>;
  readonly visited: Set<string>;
  readonly links: Place[];
  readonly problems: DefinitionProblem[];
  readonly failures: { readonly file: string; readonly error: unknown }[];
}

/** Puts what lies directly in a folder into the draft; returns the folders in it. A folder met before adds nothing. */
export async function scanFolder(draft: ScanDraft, folder: Place): Promise<readonly Place[]> {
  if (draft.visited.has(folder.path)) return [];
  draft.visited.add(folder.path);
  const entries = await listFolder(draft, folder);
  const activities =
    folder.depth === 0 ? undefined : entries.find(({ name }) => isActivityWorkflowName(name));
  if (activities !== undefined) {
    if (draft.options.activities) await addWorkflow(draft, folder);
    else leaveOut(draft, folder, activities.name);
    return [];
  }
  const folders: Place[] = [];
  for (const entry of entries) {
    if (isLeftOut(entry.name) || !isWanted(draft.options, folder.file, entry.name)) continue;
    const place = childOf(folder, entry.name);
    const shown = visibleName(entry.name);
    if (shown !== entry.name) {
      const file = below(folder.file, shown);
      if (!entry.isFile() || isDefinitionName(entry.name))
        draft.problems.push(fileProblem(file, hiddenName(file)));
    } else if (entry.isDirectory()) folders.push(place);
    else if (entry.isSymbolicLink()) draft.links.push(place);
    else if (isDefinitionName(entry.name)) addFile(draft, place, entry.isFile());
  }
  return folders;
}

async function listFolder(draft: ScanDraft, { path, file }: Place): Promise<readonly Dirent[]> {
  try {
    const identity = await identifyFolder(path);
    draft.folders.set(path, { ...draft.folders.get(path), file, identity });
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') draft.failures.push({ file, error });
    return [];
  }
}

function childOf(folder: Place, name: string): Place {
  return { path: join(folder.path, name), file: below(folder.file, name), depth: folder.depth + 1 };
}

function addFile(draft: ScanDraft, { path, file }: Place, isRegular: boolean): void {
  if (isRegular) draft.files.set(path, { file, signature: '' });
  else draft.problems.push(fileProblem(file, notRegular(file)));
}

async function addWorkflow(draft: ScanDraft, folder: Place): Promise<void> {
  const found = await scanWorkflowFolder(draft.root, folder);
  if (found === undefined) {
    // Its `workflow.*` went while it was looked at.
    draft.failures.push({
      file: folder.file,
      error: Object.assign(new Error('changing'), { code: 'EBUSY' }),
    });
    return;
  }
  draft.folders.delete(folder.path);
  draft.workflows.set(folder.path, found);
  for (const [path, own] of found.folders) draft.folders.set(path, { ...draft.folders.get(path), ...own });
}

function leaveOut(draft: ScanDraft, { path, file }: Place, name: string): void {
  const fault = {
    severity: 'warning',
    code: 'INVALID_WORKFLOW',
    finding: 'not-a-definition',
    message: `The folder '${file}' holds '${name}', which makes it an activity workflow; this store has no reader for those, so the whole folder is left out`,
    suggestion: `If '${name}' is a step workflow, give it another name`,
  } as const;
  draft.problems.push(fileProblem(below(file, name), fault, basename(path)));
  const identity = draft.folders.get(path)?.identity ?? '';
  draft.folders.set(path, { identity });
}
