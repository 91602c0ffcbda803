import { basename, dirname, resolve } from 'node:path';
import type { BranchOutcome, Coverage } from '@workflowlookup/analysis';
import type { InspectedDirectory } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../../command-line.ts';
import { exitCodes } from '../../command-line.ts';
import type { SourceFlags } from '../../commands/options.ts';
import { replaceFile } from '../../files.ts';
import { messages } from '../../messages.ts';
import { hostOptionsOf } from '../../open-host.ts';
import { createOutput } from '../../terminal/terminal.ts';
import { findPlace, isActivityFolder } from '../definition-files.ts';
import { scopeOf } from '../lint/lint.ts';
import type { LintFinding } from '../lint/report.ts';
import { byPlace } from '../lint/report.ts';
import { jsonFormat, junitFormat, textFormat } from './formats.ts';
import type { TestReport, TestedWorkflow } from './report.ts';
import { countTests, percentOf, createTestReport, isTestsFile } from './report.ts';

export interface TestFlags extends SourceFlags {
  /** False for `--no-explore`: only the tests run. */
  readonly explore?: boolean;
  /** A file, or `-` for standard output. */
  readonly junit?: string;
  /** The least coverage that passes, in percent. */
  readonly minCoverage?: number;
}

/** Runs the tests beside definitions and explores their state graphs. Any failure or problem makes the command fail. */
export async function test(line: CommandLine, paths: readonly string[], flags: TestFlags): Promise<ExitCode> {
  if (flags.json === true && flags.junit === '-') {
    throw new WorkflowError('INVALID_INPUT', messages.options.jsonAndJunit);
  }
  const found = await runTests(line, paths, flags);
  if (found.checked === 0 && paths.length > 0 && found.findings.length === 0) {
    throw new WorkflowError('NOT_FOUND', messages.definitions.none(paths));
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

async function runTests(line: CommandLine, paths: readonly string[], flags: TestFlags): Promise<TestReport> {
  const options = await hostOptionsOf(line, flags);
  const { bundledDirectory, openInspection, sourcesOf } = await import('@workflowlookup/host');
  const sources = sourcesOf(options, bundledDirectory()).map(({ directory }) => directory);
  const scopes =
    paths.length === 0
      ? sources.map((directory) => ({ place: { directory }, isWhole: true }))
      : await Promise.all(paths.map((path) => testScopeOf(path, sources)));
  const inspection = openInspection({ ...options, places: scopes.map(({ place }) => place) });
  try {
    return await createTestReport(inspection, scopes, { isExplored: flags.explore !== false });
  } finally {
    await inspection.close();
  }
}

async function print({ terminal }: CommandLine, report: TestReport, flags: TestFlags): Promise<void> {
  if (flags.junit !== undefined) {
    const text = junitFormat(report);
    if (flags.junit === '-') return terminal.printExact(text);
    await replaceFile(resolve(flags.junit), text);
  }
  const text = flags.json === true ? '' : await textFormat(report, terminal);
  await createOutput(terminal, flags.json === true).answer(jsonFormat(report), () => text);
}

export interface TestScope {
  readonly place: InspectedDirectory;
  /** Absolute path of the only test file to run. */
  readonly testsFile?: string;
  /** Whether the scope is a whole directory. Then test files without a workflow are reported. */
  readonly isWhole: boolean;
}

/**
 * Resolves a path to test: a folder of definitions with its subfolders, a single definition, the folder of an
 * activity workflow or a file in it, each with the tests beside it; or a test file with what it tests.
 *
 * @throws WorkflowError INVALID_INPUT for any other path
 */
async function testScopeOf(named: string, sources: readonly string[]): Promise<TestScope> {
  const { path, isDirectory } = await findPlace(named);
  if (!isDirectory && isTestsFile(path)) return { place: await beside(path), testsFile: path, isWhole: true };
  const { place } = await scopeOf(named, sources);
  return { place, isWhole: place.only === undefined };
}

async function beside(file: string): Promise<InspectedDirectory> {
  const folder = dirname(file);
  return (await isActivityFolder(folder))
    ? { directory: dirname(folder), only: [basename(folder)] }
    : { directory: folder, depth: 1 };
}

/** Returns a warning for each workflow whose tests cover less than the given percentage of its steps or branches. */
function lowCoverage({ workflows }: Pick<TestReport, 'workflows'>, percent: number): readonly LintFinding[] {
  return workflows.flatMap((workflow) => {
    const { coverage } = workflow;
    if (coverage === undefined) return percent > 0 ? [untested(workflow)] : [];
    const steps = percentOf(coverage.sites);
    const branches = percentOf(coverage.branches);
    if (Math.min(steps, branches) >= percent) return [];
    const message = `The tests cover ${steps} % of the steps and ${branches} % of the branches, and ${percent} % are required`;
    return [{ ...placeOf(workflow), message, suggestion: `Test what they miss: ${missed(coverage)}` }];
  });
}

function untested(workflow: TestedWorkflow): LintFinding {
  return { ...placeOf(workflow), message: 'No test was run', suggestion: 'Write tests beside it' };
}

function placeOf({ id, file }: TestedWorkflow): Omit<LintFinding, 'message'> {
  const whole = { pointer: '', line: 1, column: 1 } as const;
  return { ...whole, severity: 'warning', code: 'low-coverage', file, path: resolve(file), workflow: id };
}

/** The text names this many; JSON has them all. */
const maxNamed = 5;

function missed({ sites, branches }: Coverage): string {
  const all = [...sites.missed, ...branches.missed.map(outcomeText)];
  const more = all.length - maxNamed;
  return all.slice(0, maxNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function outcomeText({ text, holds }: BranchOutcome): string {
  return `'${text}'${holds ? '' : ' when it does not hold'}`;
}
