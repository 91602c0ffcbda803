import type { Coverage } from '@workflowlookup/core/testing';
import { plainLine } from '../../plain-text.ts';
import { columns } from '../../render/columns.ts';
import type { Terminal } from '../../terminal.ts';
import { counted, findingTexts } from '../lint/text-format.ts';
import type { TestReport, TriedTest, TriedWorkflow } from './test-report.ts';
import { countTests, percentOf } from './test-report.ts';

/** A report as people read it: what failed, what was found, how far tests and sessions get; last what it comes to. */
export async function textFormat(report: TestReport, terminal: Terminal): Promise<string> {
  const failed = report.workflows.flatMap(({ tests }) => tests.filter(({ status }) => status === 'failed'));
  const limits = report.workflows.filter(({ exploration }) => exploration?.limit !== undefined);
  return [
    ...failed.map((test) => failureText(test, terminal)),
    ...(await findingTexts(report.findings, terminal)),
    ...(report.workflows.length > 0 ? [table(report.workflows)] : []),
    ...limits.map(
      ({ id, exploration }) =>
        `Not all of '${plainLine(id)}' was looked at. ${plainLine(exploration?.limit ?? '')}`,
    ),
    summary(report, terminal),
  ].join('\n\n');
}

function failureText({ name, file, line, column, failures, path }: TriedTest, { paint }: Terminal): string {
  const place = paint('bold', `${plainLine(file)}:${line}:${column}`);
  return [
    `${place} ${paint('red', 'failed')} ${plainLine(name)}`,
    ...failures.map((failure) => `  ${plainLine(failure)}`),
    paint('dim', `  It went through ${path.length === 0 ? 'nothing' : plainLine(path.join(', '))}.`),
  ].join('\n');
}

function table(workflows: readonly TriedWorkflow[]): string {
  const isExplored = workflows.some(({ exploration }) => exploration !== undefined);
  return columns([
    ['WORKFLOW', 'TESTS', 'STEPS', 'BRANCHES', ...(isExplored ? ['WITHIN REACH'] : [])],
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

function reach(exploration: TriedWorkflow['exploration']): string {
  if (exploration === undefined) return '-';
  if (exploration.limit !== undefined) return 'not all was looked at';
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
    `${found === 0 ? 'nothing found' : counted(found, 'finding')} in ${counted(report.checked, 'workflow')}.`,
  ].join('; ');
  return paint(failed + found > 0 ? 'red' : 'green', sum);
}
