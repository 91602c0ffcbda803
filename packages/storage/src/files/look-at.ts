import { lstat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { systemCode } from '../system-code.ts';
import { below, isActivityWorkflowName, isDefinitionName, isLeftOut, visibleName } from './names.ts';
import type { Scan } from './scan-directory.ts';
import type { FoundFile } from './scan-folder.ts';
import { isWanted } from './scan-options.ts';
import { signatureOf } from './signature.ts';

/** A definition, one that is gone, nothing of interest, or what only a scan of the whole directory can place. */
export type Sight = FoundFile | 'gone' | 'nothing' | 'rescan';

/** Looks at one real path an event named; `known` is the definition's name where the last scan found one there. */
export async function lookAt(scan: Scan, path: string, known: string | undefined): Promise<Sight> {
  if (known === undefined && isLeftOut(basename(path))) return scan.links.size > 0 ? 'rescan' : 'nothing';
  if (visibleName(basename(path)) !== basename(path)) return 'rescan';
  try {
    const stats = await lstat(path, { bigint: true });
    if (!stats.isFile() || isActivityWorkflowName(basename(path))) return 'rescan';
    const file = known ?? newFile(scan, path);
    return file === undefined ? 'nothing' : { file, signature: signatureOf(stats) };
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? lookAtGap(scan, path, known) : 'rescan';
  }
}

function lookAtGap(scan: Scan, path: string, known: string | undefined): Sight {
  const name = basename(path);
  const mattered = isDefinitionName(name) || isActivityWorkflowName(name);
  if (!mattered && !scan.folders.has(path) && !scan.links.has(path)) return 'nothing';
  // A link may lead to it, and a folder without its `workflow.*` is another kind of folder.
  const isPlain = known !== undefined && scan.links.size === 0 && !isActivityWorkflowName(name);
  return isPlain ? 'gone' : 'rescan';
}

/** The name of a definition the last scan did not find; none in a folder that is left out. */
function newFile(scan: Scan, path: string): string | undefined {
  const folder = scan.folders.get(dirname(path))?.file;
  const name = basename(path);
  if (folder === undefined || !isDefinitionName(name) || !isWanted(scan.options, folder, name))
    return undefined;
  return below(folder, name);
}
