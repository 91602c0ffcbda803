import { readFile } from 'node:fs/promises';
import type { ConfigText } from './config-text.ts';
import { problemAt } from './config-text.ts';

/** A file of a client as it stands; `undefined` where there is none. @throws WorkflowError VALIDATION where it is no text */
export async function readConfig(file: string): Promise<ConfigText | undefined> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  try {
    return { file, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw problemAt({ file, text: '' }, 0, 'this is no text in UTF-8');
  }
}
