import { resolve } from 'node:path';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine } from '../../command-line.ts';
import type { SourceFlags } from '../../definitions/add-definition-command.ts';
import { hostOptionsOf } from '../../definitions/host-options.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { exitCodes } from '../../exit-codes.ts';
import { createOutput } from '../../output.ts';
import { byPlace } from '../lint/lint-report.ts';
import { replaceFile } from '../../write-files.ts';
import { lowCoverage } from './low-coverage.ts';
import { takeTestReport } from './take-test-report.ts';
import type { TestReport } from './test-report.ts';
import { countTests } from './test-report.ts';
import { testScopeOf } from './test-scope.ts';

/** What `test` takes. */
export interface TestFlags extends SourceFlags {
  /** `--no-explore`: only the tests are run. */
  readonly explore?: boolean;
  /** A file, or `-` for standard output. */
  readonly junit?: string;
  /** Percent. */
  readonly minCoverage?: number;
}

/** Runs the tests beside definitions and goes every way through them; whatever is found fails. */
export async function test(line: CommandLine, paths: readonly string[], flags: TestFlags): Promise<ExitCode> {
  if (flags.json === true && flags.junit === '-') {
    throw new WorkflowError('INVALID_PARAMS', "--json and '--junit -' both print: give --junit a file.");
  }
  const found = await look(line, paths, flags);
  if (found.checked === 0 && paths.length > 0 && found.findings.length === 0) {
    throw new WorkflowError('INVALID_PARAMS', `No definitions in '${paths.join("', '")}'.`);
  }
  const report =
    flags.minCoverage === undefined
      ? found
      : {
          ...found,
          findings: [...found.findings, ...lowCoverage(found, flags.minCoverage)].toSorted(byPlace),
        };
  await print(line, report, flags);
  return report.findings.length + countTests(report).failed > 0 ? exitCodes.findings : exitCodes.ok;
}

async function look(line: CommandLine, paths: readonly string[], flags: TestFlags): Promise<TestReport> {
  const options = await hostOptionsOf(line, flags);
  const { bundledDirectory, openInspection, sourcesOf } = await import('@workflowlookup/host');
  const sources = sourcesOf(options, bundledDirectory()).map(({ directory }) => directory);
  const scopes =
    paths.length === 0
      ? sources.map((directory) => ({ place: { directory }, isWhole: true }))
      : await Promise.all(paths.map((path) => testScopeOf(path, sources)));
  const inspection = openInspection({ ...options, places: scopes.map(({ place }) => place) });
  try {
    return await takeTestReport(inspection, scopes, { isExplored: flags.explore !== false });
  } finally {
    await inspection.close();
  }
}

async function print({ terminal }: CommandLine, report: TestReport, flags: TestFlags): Promise<void> {
  if (flags.junit !== undefined) {
    const { junitFormat } = await import('./junit-format.ts');
    const text = junitFormat(report);
    if (flags.junit === '-') return terminal.printExact(text);
    await replaceFile(resolve(flags.junit), text);
  }
  const { jsonFormat } = await import('./json-format.ts');
  const { textFormat } = await import('./text-format.ts');
  const text = flags.json === true ? '' : await textFormat(report, terminal);
  await createOutput(terminal, flags.json === true).answer(jsonFormat(report), () => text);
}
