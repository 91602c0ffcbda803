import { readFile } from 'node:fs/promises';
import { applyEdits } from '@workflowlookup/schema';
import { replaceFile } from '../../write-files.ts';
import type { LintFinding, LintReport } from './lint-report.ts';

/** A file that was put right. */
export interface FixedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** What is right only shows what else is wrong, so it is looked again; this often at most. */
const maxRounds = 25;

/** Puts right what can be without doubt. Each file is written as a whole or not at all. */
export async function fixFiles(look: () => Promise<LintReport>): Promise<readonly FixedFile[]> {
  const changes = new Map<string, { readonly file: string; readonly before: string; after: string }>();
  for (let round = 0; round < maxRounds; round += 1) {
    let isDone = true;
    for (const [path, findings] of fixableByPath(await look())) {
      const before = await readFile(path, 'utf8');
      const after = edited(before, findings);
      if (after === before) continue;
      isDone = false;
      await replaceFile(path, after);
      const known = changes.get(path);
      if (known === undefined) changes.set(path, { file: findings[0]?.file ?? path, before, after });
      else known.after = after;
    }
    if (isDone) break;
  }
  return [...changes.values()];
}

function fixableByPath({ findings }: LintReport): ReadonlyMap<string, readonly LintFinding[]> {
  const byPath = new Map<string, LintFinding[]>();
  for (const finding of findings) {
    if (finding.edits !== undefined) byPath.set(finding.path, [...(byPath.get(finding.path) ?? []), finding]);
  }
  return byPath;
}

/** Edits count from behind the byte order mark. */
function edited(text: string, findings: readonly LintFinding[]): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  return (
    mark +
    applyEdits(
      text.slice(mark.length),
      findings.flatMap(({ edits = [] }) => edits),
    )
  );
}
