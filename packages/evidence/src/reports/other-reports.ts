import { validateSarif } from '../generated/validate-sarif.js';

interface SarifLog {
  readonly runs: readonly {
    readonly results?:
      | readonly {
          readonly level?: string;
          readonly kind?: string;
          readonly suppressions?: readonly unknown[] | null;
        }[]
      | null;
  }[];
}

/** Counts the errors in a SARIF log. What is suppressed in the code does not count. Throws an error for another text. */
export function errorsInSarif(text: string): number {
  const log: unknown = JSON.parse(text);
  if (!validateSarif(log)) throw new Error('not SARIF 2.1');
  const results = (log as SarifLog).runs.flatMap((run) => run.results ?? []);
  return results.filter(
    ({ level = 'warning', kind = 'fail', suppressions }) =>
      kind === 'fail' && level === 'error' && (suppressions ?? []).length === 0,
  ).length;
}

/** Lines of code that tests could run, and those that they ran. */
export interface CoveredLines {
  readonly found: number;
  readonly hit: number;
}

/** Adds up the lines in an lcov report. Throws an error for another text. */
export async function linesInLcov(text: string): Promise<CoveredLines> {
  const { lcovParser } = await import('@friedemannsommer/lcov-parser');
  const sections = await lcovParser({ from: text });
  if (sections.length === 0) throw new Error('no file in the report');
  return {
    found: sections.reduce((sum, { lines }) => sum + lines.instrumented, 0),
    hit: sections.reduce((sum, { lines }) => sum + lines.hit, 0),
  };
}
