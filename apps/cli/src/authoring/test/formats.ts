import XMLBuilder from 'fast-xml-builder';
import type { Coverage } from '@workflowlookup/analysis';
import { columns, plainLine, plainLines, withoutCommands } from '../../terminal/plain-text.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { counted, findingTexts, jsonFindings } from '../lint/report.ts';
import type { LintFinding } from '../lint/report.ts';
import type { TestReport, TestResult, TestedWorkflow } from './report.ts';
import { countTests, percentOf } from './report.ts';

/** Formats a report for people: failures, problems, coverage, then a summary. */
export async function textFormat(report: TestReport, terminal: Terminal): Promise<string> {
  const failed = report.workflows.flatMap(({ tests }) => tests.filter(({ status }) => status === 'failed'));
  const limits = report.workflows.filter(({ exploration }) => exploration?.limit !== undefined);
  return [
    ...failed.map((test) => failureText(test, terminal)),
    ...(await findingTexts(report.findings, terminal)),
    ...(report.workflows.length > 0 ? [table(report.workflows)] : []),
    ...limits.map(
      ({ id, exploration }) =>
        `Not all of '${plainLine(id)}' was explored. ${plainLine(exploration?.limit ?? '')}`,
    ),
    summary(report, terminal),
  ].join('\n\n');
}

function failureText({ name, file, line, column, failures, path }: TestResult, { paint }: Terminal): string {
  const place = paint('bold', `${plainLine(file)}:${line}:${column}`);
  return [
    `${place} ${paint('red', 'failed')} ${plainLine(name)}`,
    ...failures.map((failure) => `  ${plainLine(failure)}`),
    paint('dim', `  It entered ${path.length === 0 ? 'nothing' : plainLine(path.join(', '))}.`),
  ].join('\n');
}

function table(workflows: readonly TestedWorkflow[]): string {
  const isExplored = workflows.some(({ exploration }) => exploration !== undefined);
  return columns([
    ['WORKFLOW', 'TESTS', 'STEPS', 'BRANCHES', ...(isExplored ? ['REACHABLE'] : [])],
    ...workflows.map(({ id, tests, coverage, exploration }) => {
      const passed = tests.filter(({ status }) => status === 'passed').length;
      const own = tests.length === 0 ? '-' : `${passed} of ${tests.length}`;
      return [plainLine(id), own, ...percents(coverage), ...(isExplored ? [reach(exploration)] : [])];
    }),
  ]);
}

function percents(coverage: Coverage | undefined): readonly string[] {
  if (coverage === undefined) return ['-', '-'];
  return [`${percentOf(coverage.sites)} %`, `${percentOf(coverage.branches)} %`];
}

function reach(exploration: TestedWorkflow['exploration']): string {
  if (exploration === undefined) return '-';
  if (exploration.limit !== undefined) return 'not fully explored';
  const [steps, branches] = percents(exploration.coverage);
  return `${steps} of steps, ${branches} of branches`;
}

function summary(report: TestReport, { paint }: Terminal): string {
  const { passed, failed, notRun } = countTests(report);
  const found = report.findings.length;
  const tests = [
    ...(passed > 0 ? [`${counted(passed, 'test')} passed`] : []),
    ...(failed > 0 ? [`${counted(failed, 'test')} failed`] : []),
    ...(notRun > 0 ? [`${counted(notRun, 'test')} not run`] : []),
  ];
  const sum = [
    tests.length === 0 ? 'No tests' : tests.join(', '),
    `${found === 0 ? 'no problems' : counted(found, 'problem')} in ${counted(report.checked, 'workflow')}.`,
  ].join('; ');
  return paint(failed + found > 0 ? 'red' : 'green', sum);
}

/** Returns a report as JSON, in the form that `schemas/test.json` describes. */
/** Returns a report as JSON, in the form that `schemas/test.json` describes. */
export function jsonFormat(report: TestReport): object {
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
export function junitFormat({ workflows, findings }: TestReport): string {
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
    testcase: [definitionCase(id, findings), ...tests.map((test) => testCase(id, test))],
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
      failure: failureElement([...failures, `It entered ${path.join(', ')}.`]),
    }),
    ...(status === 'not-run' && { skipped: { '@message': 'Its workflow has errors.' } }),
  };
}

function failureElement(lines: readonly string[]): Element {
  const text = lines.join('\n');
  return { '@message': plainLine(text.split('\n', 1)[0] ?? ''), '#text': plainLines(text) };
}
