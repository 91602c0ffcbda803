import type { LintFinding } from './lint-report.ts';
import { placeFindings } from './place-findings.ts';

/** Findings with the place of an id that another file has too: those who compare files do not know their texts. */
export async function placeIds(findings: readonly LintFinding[]): Promise<readonly LintFinding[]> {
  const placed = await placeFindings(findings.filter(isUnplaced));
  const inTurn = placed.values();
  return findings.map((finding) => (isUnplaced(finding) ? (inTurn.next().value ?? finding) : finding));
}

function isUnplaced({ code, pointer, line, column }: LintFinding): boolean {
  return code === 'duplicate-id' && pointer === '/id' && line === 1 && column === 1;
}
