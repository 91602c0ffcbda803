import { findPosition } from '@workflowlookup/schema';
import type { LintFinding } from './lint-report.ts';
import { sourceTexts } from './source-texts.ts';

/** Findings with the place that their pointers lead to; where a file can't be read, as they were. */
export async function placeFindings(findings: readonly LintFinding[]): Promise<readonly LintFinding[]> {
  const texts = await sourceTexts(findings);
  return Promise.all(
    findings.map(async (finding) => {
      const text = texts.get(finding.path);
      if (text === undefined) return finding;
      const position = await findPosition({ text, format: formatOf(finding.path) }, finding.pointer);
      return { ...finding, ...position };
    }),
  );
}

function formatOf(file: string): 'json' | 'toon' | 'yaml' {
  if (file.endsWith('.json')) return 'json';
  return file.endsWith('.toon') ? 'toon' : 'yaml';
}
