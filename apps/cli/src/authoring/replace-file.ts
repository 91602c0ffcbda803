import { WorkflowError } from '@workflowlookup/schema';
import { writeFile } from 'atomically';
import { nameOf } from './name-of.ts';

/** How long a file that something else holds is tried again. */
const busyMs = 1_000;

/** Puts a new text in the place of a file's, whole or not at all. @throws WorkflowError STORAGE */
export async function replaceFile(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { timeout: busyMs });
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new WorkflowError('STORAGE', `'${nameOf(path)}' can't be written (${code}); it is as it was.`, {
      cause,
    });
  }
}
