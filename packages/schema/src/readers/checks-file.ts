import { limitFindings, toIssues } from '../findings/collect-findings.ts';
import type { Issue } from '../findings/finding.ts';
import { checkShape } from '../schemas/check-shape.ts';
import { freezeAndInspect } from '../text/hidden-characters.ts';
import { parseText, withoutMark } from '../text/parse-text.ts';

/** A file that a check writes, or a pattern of such files. */
export type Report = { readonly junit: string } | { readonly sarif: string } | { readonly lcov: string };

/** A command of a project that passes or fails (docs/evidence.md#fields-of-checks). */
export interface Check {
  /** A list is run as it is, a text is run by the shell. */
  readonly run: string | readonly string[];
  /** Such as `90s`, `10m` or `1h`. Default `10m`. */
  readonly timeout?: string;
  readonly reports?: readonly Report[];
  /** Environment variables that the command gets although their names look like secrets. */
  readonly env?: readonly string[];
  /** Files, or values in JSON files, that decide what the command does. They are trusted together with the check. */
  readonly also_trust?: readonly string[];
}

/** The checks of a project. */
export interface Checks {
  readonly checks: Readonly<Record<string, Check>>;
  /** Where check runs of GitHub are read. */
  readonly github?: { readonly repository: string };
}

/** The result of reading a file of checks: the checks, or the issues in the order of the text. */
export interface ChecksReading {
  readonly value?: Checks;
  readonly issues: readonly Issue[];
}

/**
 * Reads the file with the checks of a project: syntax and limits, then the shape. Problems are returned, never thrown.
 *
 * @example
 * ```ts
 * const { value, issues } = await readChecks('checks: {test: {run: npm test}}');
 * ```
 */
export async function readChecks(source: string): Promise<ChecksReading> {
  const text = withoutMark(source);
  const parsed = await parseText({ text, format: 'yaml' });
  const findings = parsed.findings.length > 0 ? parsed.findings : await checkValue(parsed.value);
  const issues = findings.length === 0 ? [] : await toIssues(limitFindings(findings), parsed, text);
  const isRight = findings.every(({ severity }) => severity !== 'error');
  return { ...(isRight && { value: parsed.value as Checks }), issues };
}

async function checkValue(value: unknown): Promise<ReturnType<typeof checkShape>> {
  const { validateChecks } = await import('../generated/validate-checks.js');
  return [...freezeAndInspect(value), ...checkShape(value, validateChecks)];
}
