import { createPositions } from '@workflowlookup/schema';
import type { LintFinding } from './lint-report.ts';
import { sourceTexts } from './source-texts.ts';

/** Findings with the place that their pointers lead to; where a file can't be read, as they were. */
export async function placeFindings(findings: readonly LintFinding[]): Promise<readonly LintFinding[]> {
  const texts = await sourceTexts(findings);
  const positions = new Map(
    await Promise.all(
      Array.from(
        texts,
        async ([path, text]) => [path, await createPositions({ text, format: formatOf(path) })] as const,
      ),
    ),
  );
  return findings.map((finding) => ({ ...finding, ...positions.get(finding.path)?.(finding.pointer) }));
}

function formatOf(file: string): 'json' | 'toon' | 'yaml' {
  if (file.endsWith('.json')) return 'json';
  return file.endsWith('.toon') ? 'toon' : 'yaml';
}
