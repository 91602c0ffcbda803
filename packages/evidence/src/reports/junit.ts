import type { TestCounts } from '@workflowlookup/core/sessions';
import { writeOutHidden } from '@workflowlookup/schema';

/** How many failed tests are named. */
const maxNamed = 5;

const maxNameChars = 120;

/** Counts the tests of a JUnit report. Throws an error if the text is not one. */
export async function readJunit(text: string): Promise<TestCounts> {
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  if (XMLValidator.validate(text) !== true) throw new Error('not XML');
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    // Entities of the document could make it grow without limit.
    processEntities: false,
    parseAttributeValue: false,
    isArray: (name) => ['testsuites', 'testsuite', 'testcase'].includes(name),
  });
  const root = parser.parse(text) as Node;
  const suites = [...(root.testsuites ?? []), ...(root.testsuite ?? [])];
  if (suites.length === 0) throw new Error('no test suite');
  return sumOfTests(suites.map(countIn));
}

/** An element of a report. An element with nothing in it is an empty text. */
interface Node {
  readonly testsuites?: readonly Element[];
  readonly testsuite?: readonly Element[];
  readonly testcase?: readonly Element[];
  readonly [name: string]: unknown;
}

type Element = Node | string;

function countIn(element: Element): TestCounts {
  if (typeof element === 'string') return none;
  const suites = [...(element.testsuites ?? []), ...(element.testsuite ?? [])].map(countIn);
  const cases = (element.testcase ?? []).map(countOne);
  return sumOfTests([...suites, ...cases]);
}

const notRun: ReadonlySet<string> = new Set(['notrun', 'skipped', 'disabled', 'ignored']);

function countOne(test: Element): TestCounts {
  const node: Node = typeof test === 'string' ? {} : test;
  // Some runners, such as GoogleTest, name tests that did not run only in an attribute.
  if ('skipped' in node || notRun.has(String(node['status']).toLowerCase())) return { ...none, skipped: 1 };
  const isFailed = 'failure' in node || 'error' in node;
  return { ...none, run: 1, ...(isFailed && { failed: 1, failures: [nameOf(node)] }) };
}

function nameOf({ classname, name }: Node): string {
  const parts = [classname, name].filter((part) => typeof part === 'string' && part !== '');
  const text = decode(parts.join(' › ')).replaceAll(/\s+/g, ' ');
  return writeOutHidden(text).slice(0, maxNameChars);
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function decode(text: string): string {
  return text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? '');
}

const none: TestCounts = { run: 0, failed: 0, skipped: 0, failures: [] };

/** Adds the counts of several reports. */
export function sumOfTests(counts: readonly TestCounts[]): TestCounts {
  const total = { run: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  for (const one of counts) {
    total.run += one.run;
    total.failed += one.failed;
    total.skipped += one.skipped;
    failures.push(...one.failures.slice(0, maxNamed - failures.length));
  }
  return { ...total, failures };
}
