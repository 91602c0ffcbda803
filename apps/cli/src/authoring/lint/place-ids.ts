import { findPosition } from '@workflowlookup/schema';
import type { LintFinding } from './lint-report.ts';
import { sourceTexts } from './source-texts.ts';

/** Findings with the place of an id that another file has too: those who compare files do not know their texts. */
export async function placeIds(findings: readonly LintFinding[]): Promise<readonly LintFinding[]> {
  const texts = await sourceTexts(findings.filter(isUnplaced));
  return Promise.all(
    findings.map(async (finding) => {
      const text = isUnplaced(finding) ? texts.get(finding.path) : undefined;
      if (text === undefined) return finding;
      const position = await findPosition({ text, format: formatOf(finding.path) }, finding.pointer);
      return { ...finding, ...position };
    }),
  );
}

function isUnplaced({ code, pointer, line, column }: LintFinding): boolean {
  return code === 'duplicate-id' && pointer === '/id' && line === 1 && column === 1;
}

function formatOf(path: string): 'json' | 'toon' | 'yaml' {
  if (path.endsWith('.json')) return 'json';
  return path.endsWith('.toon') ? 'toon' : 'yaml';
}
