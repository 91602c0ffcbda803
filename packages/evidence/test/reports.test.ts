import type { EvidenceResult } from '@workflowlookup/core/sessions';
import type { CheckEvidence } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { checksFile } from '../src/index.ts';
import { makeProject } from './support/project.ts';

/** Runs a check that passes and writes this report. */
async function checkWith(
  report: object,
  text: string,
  demands: Partial<CheckEvidence> = {},
): Promise<EvidenceResult> {
  const [path = ''] = Object.values(report) as string[];
  const check = { run: `mkdir -p reports; cp report.txt ${path}`, reports: [report] };
  const made = makeProject({ 'report.txt': text, [checksFile]: JSON.stringify({ checks: { test: check } }) });
  await made.trust();
  const evidence = { id: 'a', check: 'test', ...demands };
  const answer = await made.collector().collect({ key: 'a', evidence, waitMs: 20_000 });
  if (!('result' in answer)) throw new Error('The check is still running');
  return answer.result;
}

const rule = { id: 'sql', defaultConfiguration: { level: 'error' } };

/** Returns a SARIF log with one result. */
function sarif(result: object, { tool = {}, ...run }: Readonly<Record<string, object>> = {}): string {
  const driver = { name: 'linter' };
  const results = [{ message: { text: 'Found it.' }, ...result }];
  return JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver, ...tool }, results, ...run }] });
}

test.each<readonly [string, string, number]>([
  ['says so', sarif({ level: 'error' }), 1],
  [
    'is of a rule for errors, by its place',
    sarif({ ruleIndex: 0 }, { tool: { driver: { name: 'a', rules: [rule] } } }),
    1,
  ],
  [
    'is of a rule for errors, by its id',
    sarif({ ruleId: 'sql' }, { tool: { driver: { name: 'a', rules: [rule] } } }),
    1,
  ],
  [
    'is of a rule for errors in an extension',
    sarif(
      { ruleId: 'sql', rule: { id: 'sql', index: 0, toolComponent: { index: 0 } } },
      { tool: { extensions: [{ name: 'pack', rules: [rule] }] } },
    ),
    1,
  ],
  [
    'says that it is less than its rule',
    sarif({ level: 'note', ruleId: 'sql' }, { tool: { driver: { name: 'a', rules: [rule] } } }),
    0,
  ],
  [
    'is of a rule without a level',
    sarif({ ruleId: 'sql' }, { tool: { driver: { name: 'a', rules: [{ id: 'sql' }] } } }),
    0,
  ],
  ['passed', sarif({ kind: 'pass', ruleId: 'sql' }, { tool: { driver: { name: 'a', rules: [rule] } } }), 0],
  ['is suppressed in the code', sarif({ level: 'error', suppressions: [{ kind: 'inSource' }] }), 0],
  [
    'is suppressed, if somebody accepts that',
    sarif({ level: 'error', suppressions: [{ kind: 'external', status: 'underReview' }] }),
    1,
  ],
  [
    'is not to be suppressed',
    sarif({ level: 'error', suppressions: [{ kind: 'inSource' }, { kind: 'external', status: 'rejected' }] }),
    1,
  ],
])('A SARIF result that %s is counted correctly', async (_, text, errors) => {
  const outcome = errors === 0 ? 'passed' : 'failed';
  expect(await checkWith({ sarif: 'reports/a.sarif' }, text)).toMatchObject({ errors, outcome });
});

test('A SARIF tool that reports its own failure does not pass', async () => {
  const ended = (executionSuccessful: boolean): string =>
    sarif({ level: 'note' }, { invocations: [{ executionSuccessful }] });
  const report = { sarif: 'reports/a.sarif' };
  expect(await checkWith(report, ended(true))).toMatchObject({ outcome: 'passed' });
  expect(await checkWith(report, ended(false))).toMatchObject({ outcome: 'failed', errors: 0 });
});

test('A failed test counts as failed, even if its name says that it is skipped', async () => {
  const text =
    '<testsuite><testcase name="a"><failure/><skipped/></testcase><testcase name="b"/></testsuite>';
  expect(await checkWith({ junit: 'reports/a.xml' }, text)).toMatchObject({
    outcome: 'failed',
    tests: { run: 2, failed: 1, skipped: 0 },
  });
});

const lcov = (...counts: readonly (readonly [found: number | string, hit: number | string])[]): string =>
  counts.map(([found, hit], at) => `SF:${at}.js\nLF:${found}\nLH:${hit}\nend_of_record\n`).join('');

test.each<readonly [string, string, number | undefined]>([
  ['several files', lcov([10, 9], [30, 21]), 75],
  ['a file without lines', lcov([10, 8], [0, 0]), 80],
  ['more lines run than there are', lcov([10, 1], [1, 1000]), undefined],
  ['less than no lines', lcov([10, 1], [-9, 0]), undefined],
])('The coverage of a report with %s is read, or the report is refused', async (_, text, coverage) => {
  const found = await checkWith({ lcov: 'reports/a.info' }, text, { coverage: { min: 70 } });
  expect([found.coverage, found.outcome]).toEqual([coverage, coverage === undefined ? 'failed' : 'passed']);
});
