import { readFile } from 'node:fs/promises';
import type { FindingCode } from '@workflowlookup/schema';
import type { LintFinding } from './lint-report.ts';

/** Findings about files that are not opened: a link out of its source, something that is no file or is too large. */
const unopened: ReadonlySet<FindingCode> = new Set(['beyond-limits', 'leaves-source', 'unreadable-file']);

/** The texts of the files that findings are in, without byte order marks; by path, those that can't be read left out. */
export async function sourceTexts(findings: readonly LintFinding[]): Promise<ReadonlyMap<string, string>> {
  const closed = new Set(findings.filter(({ code }) => unopened.has(code)).map(({ path }) => path));
  const paths = new Set(findings.map(({ path }) => path).filter((path) => !closed.has(path)));
  const texts = await Promise.all(
    Array.from(paths, async (path) => [path, await readIfThere(path)] as const),
  );
  return new Map(texts.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])));
}

/** It may be gone by now, or be a folder: then there is nothing to show. */
async function readIfThere(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  } catch {
    // As said above.
    return undefined;
  }
}
