import { basename, dirname } from 'node:path';
import type { InspectedPlace } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import { findPlace, isActivityFolder, isWorkflowFile, workflowFolderOf } from '../place.ts';

/** What a path on the command line asks to be linted. */
export interface LintScope {
  readonly place: InspectedPlace;
  /** Absolute path of the only file that is told of. */
  readonly file?: string;
  /** Ids of the only workflows that are told of. */
  readonly workflows?: ReadonlySet<string>;
}

/**
 * What a path means: a folder of definitions as deep as it goes, the folder of one activity workflow, a definition, or a
 * part of an activity workflow. `sources` are directories that definitions are served from: a `workflow.*` in one of
 * them is a file like any other.
 *
 * @throws WorkflowError INVALID_PARAMS for a path that is none of these
 */
export async function scopeOf(named: string, sources: readonly string[]): Promise<LintScope> {
  const { path, isDirectory } = await findPlace(named);
  if (isDirectory) {
    const isFlow = !sources.includes(path) && (await isActivityFolder(path));
    return { place: isFlow ? only(path) : { directory: path, depth: Number.MAX_SAFE_INTEGER } };
  }
  const flow = await workflowFolderOf(path);
  if (flow !== undefined) return { place: only(flow), file: path };
  const folder = dirname(path);
  if (!sources.includes(folder) && isWorkflowFile(basename(path))) return { place: only(folder) };
  if (/\.(?:json|ya?ml)$/.test(path)) return { place: only(path) };
  throw new WorkflowError(
    'INVALID_PARAMS',
    `'${named}' is no definition: name a .json, .yaml or .yml file, the folder of an activity workflow or a file in it.`,
  );
}

/** One thing in a directory. */
function only(path: string): InspectedPlace {
  return { directory: dirname(path), only: [basename(path)] };
}
