import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Issue } from '@workflowlookup/schema';

/** The content of the file that an issue is about. */
interface Evidence {
  readonly lines: readonly string[];
  /** The names of the files in the same folder. */
  readonly files: readonly string[];
}

/** Functions that find an issue in the text of its file without our reader, by the code of the issue. */
const proofs: Readonly<Record<string, (issue: Issue, evidence: Evidence) => boolean>> = {
  'misread-text': ({ line }, { lines }) => /: *[|>][-+]?\s*$/.test(lines[line - 1] ?? ''),
  'syntax-error': ({ line }, { lines }) => (lines[line - 1] ?? '').split(': ').length > 2,
  'duplicate-key': ({ line, message }, { lines }) => {
    const earlier = Number(/line (\d+)/.exec(message)?.[1]);
    const keyOf = (at: number): string | undefined => /^\s*([\w-]+)[[:]/.exec(lines[at - 1] ?? '')?.[1];
    return keyOf(line) !== undefined && keyOf(line) === keyOf(earlier);
  },
  'unknown-activity': ({ message }, { files }) => {
    const id = /leads to activity '([^']+)'/.exec(message)?.[1] ?? '';
    return id !== '' && !files.some((file) => file.replace(/^\d+-/, '').startsWith(`${id}.`));
  },
  'unknown-checkpoint': ({ message }, { lines }) => {
    const id = /names checkpoint '([^']+)'/.exec(message)?.[1] ?? '';
    const start = lines.findIndex((line) => line.startsWith('checkpoints'));
    const end = lines.findIndex((line, at) => at > start && /^\w/.test(line));
    const list = lines.slice(start, end < 0 ? undefined : end);
    return id !== '' && !list.some((line) => line.trim().replace('- ', '') === `id: ${id}`);
  },
};

/** Returns whether the text of a file shows an issue. Returns false if there is no function for this kind of issue. */
export async function isShown(directory: string, file: string, issue: Issue): Promise<boolean> {
  const proof = proofs[issue.code];
  if (proof === undefined) return false;
  const lines = (await readFile(join(directory, file), 'utf8')).split('\n');
  return proof(issue, { lines, files: await readdir(join(directory, file, '..')) });
}
