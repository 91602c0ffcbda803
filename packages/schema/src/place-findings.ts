import { unlisted } from './check-shape.ts';
import { editsOf } from './edits-of.ts';
import type { Issue } from './issue.ts';
import { maxIssues } from './limits.ts';
import { maxReadingSteps } from './meter.ts';
import type { Found, ParsedText } from './parsed-text.ts';
import { positionsIn } from './text-position.ts';

/** At most {@link maxIssues} findings, what keeps a workflow from being served first, and one that stands for the rest. */
export function capped(findings: readonly Found[]): readonly Found[] {
  const ranked = findings.toSorted((a, b) => rank(a) - rank(b));
  const next = ranked[maxIssues];
  return next === undefined ? findings : [...ranked.slice(0, maxIssues), unlisted(next)];
}

/** A definition whose checks take more than they may. */
export const tooCostly: Found = {
  severity: 'error',
  code: 'beyond-limits',
  pointer: '',
  message: `Checking the workflow takes more than ${maxReadingSteps} steps`,
  suggestion: 'Use fewer patterns and JSON Schemas, or split the workflow',
};

function rank({ severity, served }: Found): number {
  if (severity === 'warning') return 2;
  return served === true ? 1 : 0;
}

/** Findings with their places in the text, in its order. */
export async function placed(
  findings: readonly Found[],
  { locator }: Pick<ParsedText, 'locator'>,
  text: string,
): Promise<readonly Issue[]> {
  const locate = await locator();
  const positionOf = positionsIn(text);
  const issues = findings.map(({ offset, atKey, repair, ...finding }) => {
    const span = offset === undefined ? locate(finding.pointer, atKey ?? false) : { start: offset };
    const edits = repair === undefined ? [] : editsOf(repair, { text, span, locate });
    return { start: span.start, issue: { ...finding, ...(edits.length > 0 && { edits }) } };
  });
  return issues
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, issue }) => ({ ...issue, ...positionOf(start) }));
}
