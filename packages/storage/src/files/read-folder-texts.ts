import type { Folder } from '@workflowlookup/schema';
import { forEachLimit } from '../for-each-limit.ts';
import type { FileFault } from './file-problem.ts';
import { below } from './names.ts';
import { readText } from './read-text.ts';
import type { FoundWorkflow } from './scan-workflow-folder.ts';
import { maxWorkflowFiles } from './scan-workflow-folder.ts';

/** The files of an activity workflow as they were read. */
export interface FolderTexts {
  /** What could be read, by path in the folder. */
  readonly texts: Folder;
  /** What could not, by path in the folder. */
  readonly faults: ReadonlyMap<string, FileFault>;
  /** Why the workflow is not served at all. */
  readonly refusal?: FileFault;
}

/** Most bytes of one activity workflow, all its files together. */
const maxWorkflowBytes = 16 * 1_048_576;

/** Reads the files of folders, at most `limit` files at a time whosesoever they are. Never throws. */
export async function readFolderTexts(
  folders: Iterable<FoundWorkflow>,
  limit: number,
): Promise<ReadonlyMap<FoundWorkflow, FolderTexts>> {
  const drafts = new Map([...folders].map((found) => [found, draftOf(found)]));
  await forEachLimit(filesOf(drafts), limit, readPart);
  return new Map([...drafts].map(([found, draft]) => [found, finish(found, draft)]));
}

interface Draft {
  readonly texts: Map<string, string>;
  readonly faults: Map<string, FileFault>;
  bytes: number;
}

interface Part {
  readonly draft: Draft;
  readonly name: string;
  readonly path: string;
  /** Path in the source. */
  readonly file: string;
}

function draftOf({ parts }: FoundWorkflow): Draft {
  const faults = [...parts].flatMap(([name, part]) =>
    typeof part === 'string' ? [] : [[name, part] as const],
  );
  return { texts: new Map(), faults: new Map(faults), bytes: 0 };
}

function* filesOf(drafts: ReadonlyMap<FoundWorkflow, Draft>): Generator<Part> {
  for (const [{ parts, place }, draft] of drafts) {
    if (parts.size > maxWorkflowFiles) continue;
    for (const [name, path] of parts) {
      if (typeof path === 'string') yield { draft, name, path, file: below(place.file, name) };
    }
  }
}

async function readPart({ draft, name, path, file }: Part): Promise<void> {
  if (draft.bytes > maxWorkflowBytes) return;
  const content = await readText(path, file);
  if (typeof content !== 'string') return void draft.faults.set(name, content);
  draft.texts.set(name, content);
  draft.bytes += Buffer.byteLength(content);
}

/** In the order of the paths, whichever file was read first. */
function finish({ parts, place, file }: FoundWorkflow, { texts, faults, bytes }: Draft): FolderTexts {
  const refusal =
    parts.size > maxWorkflowFiles ? tooMany(place.file) : bytes > maxWorkflowBytes && tooLarge(place.file);
  const own = refusal || faults.get(file.slice(place.file.length + 1));
  const sorted = refusal ? [] : [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { texts: new Map(sorted), faults: refusal ? new Map() : faults, ...(own && { refusal: own }) };
}

function tooMany(folder: string): FileFault {
  return {
    code: 'INVALID_WORKFLOW',
    finding: 'beyond-limits',
    message: `The folder '${folder}' has more than ${maxWorkflowFiles} files of an activity workflow`,
    suggestion: 'Split the workflow, or take out what it does not use',
  };
}

function tooLarge(folder: string): FileFault {
  return {
    code: 'INVALID_WORKFLOW',
    finding: 'beyond-limits',
    message: `The files of '${folder}' are more than ${maxWorkflowBytes} bytes (16 MiB) together`,
    suggestion: 'Split the workflow, or move long texts out of it',
  };
}
