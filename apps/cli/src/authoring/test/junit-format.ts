import XMLBuilder from 'fast-xml-builder';
import { plainLine, plainLines, withoutCommands } from '../../plain-text.ts';
import type { LintFinding } from '../lint/lint-report.ts';
import type { TestReport, TriedTest } from './test-report.ts';

/** An element by its attributes, which begin with `@`, and the elements in it. */
type Element = { readonly [name: string]: Element | readonly Element[] | number | string };

/**
 * A report as JUnit XML: a suite for each workflow, with a case for each test, and one named `definition` that fails with
 * what was found.
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
  // These two no XML may have, as themselves or by number.
  const text = builder.build(xml).replaceAll(/[\uFFFE\uFFFF]/g, '\uFFFD');
  // On standard output of a CI job no line may be a command to the CI service: XML has numbers for characters.
  return withoutCommands(text, (mark) => `&#${mark.charCodeAt(0)};`);
}

function suiteOf(
  id: string,
  { tests, findings }: { readonly tests: readonly TriedTest[]; readonly findings: readonly LintFinding[] },
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
  const told = findings.map(({ file, line, column, message, code, suggestion }) => {
    const help = suggestion === undefined ? [] : [`help: ${suggestion}`];
    return [`${file}:${line}:${column} ${message} (${code})`, ...help].join('\n');
  });
  return {
    '@classname': plainLine(id),
    '@name': 'definition',
    ...(told.length > 0 && { failure: failure(told) }),
  };
}

function testCase(id: string, { name, file, line, status, failures, path }: TriedTest): Element {
  return {
    '@classname': plainLine(id),
    '@name': plainLine(name),
    '@file': plainLine(file),
    '@line': line,
    ...(status === 'failed' && { failure: failure([...failures, `It went through ${path.join(', ')}.`]) }),
    ...(status === 'not-run' && { skipped: { '@message': 'Its workflow is broken.' } }),
  };
}

function failure(lines: readonly string[]): Element {
  const text = lines.join('\n');
  return { '@message': plainLine(text.split('\n', 1)[0] ?? ''), '#text': plainLines(text) };
}
