import { basename, dirname, resolve } from 'node:path';
import type { Coverage } from '@workflowlookup/analysis';
import type { InspectedDirectory } from '@workflowlookup/host';
import { bundledDirectory, openInspection, sourcesOf } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import XMLBuilder from 'fast-xml-builder';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import { exitCodes } from '../commands/command-line.ts';
import type { SourceFlags } from '../commands/options.ts';
import { findPlace, isActivityFolder, replaceFile } from '../files.ts';
import { optionMessages } from '../messages/common.ts';
import { definitionMessages } from '../messages/definitions.ts';
import { testMessages } from '../messages/authoring.ts';
import { hostOptionsOf } from '../open-host.ts';
import { columns, counted, plainLine, plainLines, withoutCommands } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { scopeOf } from './lint.ts';
import type { LintFinding } from './lint-report.ts';
import { byPlace, findingTexts, jsonFindings } from './lint-report.ts';
import type { TestReport, TestedWorkflow, TestResult } from './test-report.ts';
import { countTests, percentOf, createTestReport, isTestsFile } from './test-report.ts';

export interface TestFlags extends SourceFlags {
  /** False for `--no-explore`: only the tests run. */
  readonly explore?: boolean;
  /** A file, or `-` for standard output. */
  readonly junit?: string;
  /** The least coverage that passes, in percent. */
  readonly minCoverage?: number;
}

/** Runs the tests beside definitions and explores their state graphs. Any failure or problem makes the command fail. */
export async function test(
  context: CommandContext,
  paths: readonly string[],
  flags: TestFlags,
): Promise<ExitCode> {
  const { answer, asJson, terminal } = context;
  if (asJson && flags.junit === '-') throw new WorkflowError('INVALID_INPUT', optionMessages.jsonAndJunit);
  const found = await runTests(context, paths, flags);
  if (found.checked === 0 && paths.length > 0 && found.findings.length === 0)
    throw new WorkflowError('NOT_FOUND', definitionMessages.none(paths));
  const low = flags.minCoverage === undefined ? [] : lowCoverage(found, flags.minCoverage);
  const report = { ...found, findings: [...found.findings, ...low].toSorted(byPlace) };
  const isOk = report.findings.length + countTests(report).failed === 0;
  if (flags.junit !== undefined) {
    const text = junitFormat(report);
    if (flags.junit !== '-') await replaceFile(resolve(flags.junit), text);
    else {
      await terminal.printExact(text);
      return isOk ? exitCodes.ok : exitCodes.findings;
    }
  }
  return answer(jsonFormat(report), () => textFormat(report, terminal), isOk);
}

async function runTests(
  context: CommandContext,
  paths: readonly string[],
  flags: TestFlags,
): Promise<TestReport> {
  const options = await hostOptionsOf(context, flags);
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
    const { noTestRun, writeTests } = testMessages;
    if (coverage === undefined) return percent > 0 ? [lowCoverageOf(workflow, noTestRun, writeTests)] : [];
    const steps = percentOf(coverage.sites);
    const branches = percentOf(coverage.branches);
    if (Math.min(steps, branches) >= percent) return [];
    const message = testMessages.lowCoverage(steps, branches, percent);
    return [lowCoverageOf(workflow, message, testMissed(coverage))];
  });
}

function lowCoverageOf({ id, file }: TestedWorkflow, message: string, suggestion: string): LintFinding {
  const place = { file, path: resolve(file), workflow: id, pointer: '', line: 1, column: 1 };
  return { ...place, severity: 'warning', code: 'low-coverage', message, suggestion };
}

/** The text names this many; JSON has them all. */
const maxNamed = 5;

function testMissed({ sites, branches }: Coverage): string {
  const outcomes = branches.missed.map(({ text, holds }) =>
    holds ? `'${text}'` : testMessages.conditionFalse(text),
  );
  const all = [...sites.missed, ...outcomes];
  return testMessages.testMissed(all.slice(0, maxNamed), all.length - maxNamed);
}

/** Formats a report for people: failures, problems, coverage, then a summary. */
async function textFormat(report: TestReport, terminal: Terminal): Promise<string> {
  const failed = report.workflows.flatMap(({ tests }) => tests.filter(({ status }) => status === 'failed'));
  const limits = report.workflows.filter(({ exploration }) => exploration?.limit !== undefined);
  return [
    ...failed.map((one) => failureText(one, terminal)),
    ...(await findingTexts(report.findings, terminal)),
    ...(report.workflows.length > 0 ? [table(report.workflows)] : []),
    ...limits.map(({ id, exploration }) => plainLine(testMessages.limit(id, exploration?.limit ?? ''))),
    summary(report, terminal),
  ].join('\n\n');
}

function failureText({ name, file, line, column, failures, path }: TestResult, { paint }: Terminal): string {
  const place = paint('bold', `${plainLine(file)}:${line}:${column}`);
  return [
    `${place} ${paint('red', testMessages.failed)} ${plainLine(name)}`,
    ...failures.map((failure) => `  ${plainLine(failure)}`),
    paint('dim', `  ${plainLine(testMessages.entered(path))}`),
  ].join('\n');
}

function table(workflows: readonly TestedWorkflow[]): string {
  const isExplored = workflows.some(({ exploration }) => exploration !== undefined);
  return columns([
    ['WORKFLOW', 'TESTS', 'STEPS', 'BRANCHES', ...(isExplored ? ['REACHABLE'] : [])],
    ...workflows.map(({ id, tests, coverage, exploration }) => {
      const passed = tests.filter(({ status }) => status === 'passed').length;
      const own = tests.length === 0 ? '-' : testMessages.passed(passed, tests.length);
      return [id, own, ...percents(coverage), ...(isExplored ? [reach(exploration)] : [])];
    }),
  ]);
}

function percents(coverage: Coverage | undefined): readonly [steps: string, branches: string] {
  if (coverage === undefined) return ['-', '-'];
  return [`${percentOf(coverage.sites)} %`, `${percentOf(coverage.branches)} %`];
}

function reach(exploration: TestedWorkflow['exploration']): string {
  if (exploration === undefined) return '-';
  if (exploration.limit !== undefined) return testMessages.notExplored;
  return testMessages.reached(...percents(exploration.coverage));
}

function summary(report: TestReport, { paint }: Terminal): string {
  const { passed, failed, notRun } = countTests(report);
  const found = report.findings.length;
  const tests = Object.entries({ passed, failed, [testMessages.notRun]: notRun }).flatMap(([what, count]) =>
    count > 0 ? [`${counted(count, 'test')} ${what}`] : [],
  );
  const text = testMessages.summary(tests.join(', '), found, counted(report.checked, 'workflow'));
  return paint(failed + found > 0 ? 'red' : 'green', text);
}

/** Returns a report as JSON, in the form that `schemas/test.json` describes. */
function jsonFormat(report: TestReport): object {
  return {
    checked: report.checked,
    ...countTests(report),
    workflows: report.workflows.map(({ coverage, exploration, ...workflow }) => ({
      ...workflow,
      ...(coverage && { coverage: coverageOf(coverage) }),
      ...(exploration && { exploration: { ...exploration, coverage: coverageOf(exploration.coverage) } }),
    })),
    findings: jsonFindings(report.findings),
  };
}

function coverageOf({ sites, branches }: Coverage): object {
  return {
    steps: { percent: percentOf(sites), ...sites },
    branches: { percent: percentOf(branches), ...branches },
  };
}

/** An XML element: attributes begin with `@`, other properties are child elements. */
type Element = { readonly [name: string]: Element | readonly Element[] | number | string };

/**
 * Formats a report as JUnit XML: a suite for each workflow, with a case for each test, and a case named `definition`
 * that fails if the definition has problems.
 */
function junitFormat({ workflows, findings }: TestReport): string {
  const ids = new Set([...workflows.map(({ id }) => id), ...findings.map(({ workflow }) => workflow)]);
  const suites = [...ids].map((id) =>
    suiteOf(id, {
      tests: workflows.filter((one) => one.id === id).flatMap(({ tests }) => tests),
      findings: findings.filter(({ workflow }) => workflow === id),
    }),
  );
  const builder = new XMLBuilder({
    attributeNamePrefix: '@',
    ignoreAttributes: false,
    format: true,
    suppressEmptyNode: true,
  });
  const xml = { '?xml': { '@version': '1.0', '@encoding': 'UTF-8' }, testsuites: { testsuite: suites } };
  // XML forbids these two characters even as character references.
  const text = builder.build(xml).replaceAll(/[\uFFFE\uFFFF]/g, '\uFFFD');
  // In a CI job, a line on standard output must not be read as a command to the CI service.
  return withoutCommands(text, (mark) => `&#${mark.charCodeAt(0)};`);
}

function suiteOf(
  id: string,
  { tests, findings }: { readonly tests: readonly TestResult[]; readonly findings: readonly LintFinding[] },
): Element {
  const failed = tests.filter(({ status }) => status === 'failed').length;
  return {
    '@name': plainLine(id),
    '@tests': tests.length + 1,
    '@failures': failed + Math.min(1, findings.length),
    '@skipped': tests.filter(({ status }) => status === 'not-run').length,
    testcase: [definitionCase(id, findings), ...tests.map((one) => testCase(id, one))],
  };
}

function definitionCase(id: string, findings: readonly LintFinding[]): Element {
  const texts = findings.map(({ file, line, column, message, code, suggestion }) => {
    const help = suggestion === undefined ? [] : [`help: ${suggestion}`];
    return [`${file}:${line}:${column} ${message} (${code})`, ...help].join('\n');
  });
  return {
    '@classname': plainLine(id),
    '@name': 'definition',
    ...(texts.length > 0 && { failure: failureElement(texts) }),
  };
}

function testCase(id: string, { name, file, line, status, failures, path }: TestResult): Element {
  return {
    '@classname': plainLine(id),
    '@name': plainLine(name),
    '@file': plainLine(file),
    '@line': line,
    ...(status === 'failed' && {
      failure: failureElement([...failures, testMessages.entered(path)]),
    }),
    ...(status === 'not-run' && { skipped: { '@message': testMessages.brokenWorkflow } }),
  };
}

function failureElement(lines: readonly string[]): Element {
  const text = lines.join('\n');
  return { '@message': plainLine(text.split('\n', 1)[0] ?? ''), '#text': plainLines(text) };
}
