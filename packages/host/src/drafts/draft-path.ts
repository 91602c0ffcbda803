import { realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { WorkflowError } from '@workflowlookup/schema';

/** Names of files that definitions consist of, and of no others. */
const spelling = /^(?:[^./\\\0][^/\\\0]*\/){0,4}[^./\\\0][^/\\\0]*\.(?:json|ya?ml|toon|md)$/;

/**
 * The absolute path of a file of a source, which need not be there. Neither its name nor a link on the way leads out of
 * the source. @throws WorkflowError FORBIDDEN
 */
export async function draftPath(directory: string, file: string): Promise<string> {
  if (file.length > 512 || !spelling.test(file) || file.split('/').includes('node_modules')) throw refusal();
  const path = join(directory, ...file.split('/'));
  const root = await realOf(directory);
  // A source that is not there has no links in it.
  if (root === undefined) return path;
  const real = await realOfNearest(path);
  if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) throw refusal();
  return path;
}

async function realOfNearest(path: string): Promise<string> {
  const real = await realOf(path);
  return real ?? realOfNearest(dirname(path));
}

async function realOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw refusal(error);
  }
}

function refusal(cause?: unknown): WorkflowError {
  const message = 'That path is none of a definition in this source.';
  return new WorkflowError('FORBIDDEN', message, cause === undefined ? {} : { cause });
}
