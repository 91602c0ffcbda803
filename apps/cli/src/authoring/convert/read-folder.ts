import { readdir, readFile } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import { readWorkflowFolder } from '@workflowlookup/core';
import { digestOf } from '@workflowlookup/schema';

/** What an activity workflow says, and what is wrong with it, whatever its files are written in. */
export interface FolderState {
  readonly digest: string;
  /** Each with the file, without its extension, that it is in. */
  readonly errors: readonly string[];
}

/** Reads the folder of an activity workflow that borrows from nobody. */
export async function readFolder(folder: string, id: string): Promise<FolderState> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = new Map<string, string>();
  for (const entry of entries) {
    if (!entry.isFile() || !/\.(?:json|ya?ml|toon|md)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    texts.set(relative(folder, path).split(sep).join(posix.sep), await readFile(path, 'utf8'));
  }
  const { workflow, issuesByFile } = await readWorkflowFolder(texts, { id });
  const errors = [...issuesByFile].flatMap(([file, issues]) =>
    issues.flatMap(({ severity, message }) =>
      severity === 'error' ? `${file.replace(/\.[a-z]+$/, '')}: ${message}` : [],
    ),
  );
  return { digest: workflow?.digest ?? digestOf(errors.toSorted()), errors };
}
