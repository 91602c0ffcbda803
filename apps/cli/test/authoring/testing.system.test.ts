import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitionMessages } from '../../src/messages/definitions.ts';
import { fileMessages, optionMessages } from '../../src/messages/common.ts';
import { testMessages } from '../../src/messages/authoring.ts';
import { flow } from '../support/definitions.ts';
import type { TestProject } from '../support/test-project.ts';
import { asAnotherUser, openTestProject } from '../support/test-project.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

/** A workflow with a branch and with criteria. */
const tea = `id: tea
name: Tea
description: Make tea.
version: 1.0.0
steps:
  - id: ask
    title: Ask
    prompt: Ask for milk and set \`milk\`.
  - id: pour
    title: Pour
    prompt: Pour the milk.
    runCondition: milk == true
  - id: brew
    title: Brew
    prompt: Brew it and say how long.
    validationCriteria:
      - type: contains
        value: minutes
        message: Say the minutes
`;
const black = `tests:
  - name: black
    sets: { ask: { milk: false } }
    outputs: { brew: Four minutes }
    expect:
      path: [ask, brew]
`;
const white = `  - name: white
    sets: { ask: { milk: true } }
    outputs: { brew: [Soon, Four minutes] }
    expect:
      path: [ask, pour, brew]
      refused: [brew]
`;
const wrong = `  - name: wrong
    sets: { ask: { milk: true } }
    outputs: { brew: Soon }
    expect:
      path: [ask, brew]
`;

const openTea = (tests: string, more: object = {}): Promise<TestProject> =>
  openTestProject(entry, { 'workflows/tea.yaml': tea, 'workflows/tea.test.yaml': tests, ...more });

const run = (project: TestProject, ...args: readonly string[]) => project.run(['test', ...args]);

describe('test', () => {
  test('prints the results of the tests, and the coverage by tests and by exploration', async () => {
    expect(await run(await openTea(black + white), 'workflows')).toEqual({
      code: 0,
      err: '',
      out: `WORKFLOW  TESTS   STEPS  BRANCHES  REACHABLE
tea       2 of 2  100 %  100 %     100 % of steps, 100 % of branches

2 tests passed; no problems in 1 workflow.
`,
    });
  });

  test('shows each failure with its position, the actual and the expected value', async () => {
    const { code, out, err } = await run(await openTea(black + wrong), 'workflows', '--no-explore');
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toBe(`workflows/tea.test.yaml:7:5 failed wrong
  The workflow was not completed. The output of 'brew' is refused, and the test has no other: Say the minutes.
  Position 2 of the path: expected 'brew', found 'pour'.
  The output of 'brew' was refused: Say the minutes.
  It entered ask, pour, brew.

WORKFLOW  TESTS   STEPS  BRANCHES
tea       1 of 2  100 %  100 %

1 test passed, 1 test failed; no problems in 1 workflow.
`);
  });

  test('prints JSON', async () => {
    const { code, out } = await run(await openTea(black + wrong), 'workflows', '--json');
    expect(code).toBe(1);
    const full = { percent: 100, missed: [] };
    expect(jsonOf('test', out)).toMatchObject({
      checked: 1,
      passed: 1,
      failed: 1,
      notRun: 0,
      workflows: [
        {
          id: 'tea',
          file: 'workflows/tea.yaml',
          tests: [
            { name: 'black', status: 'passed', path: ['ask', 'brew'], line: 2 },
            { name: 'wrong', status: 'failed', path: ['ask', 'pour', 'brew'], line: 7, column: 5 },
          ],
          coverage: { steps: { ...full, total: 3 }, branches: { ...full, total: 2 } },
          exploration: { coverage: { steps: full, branches: full } },
        },
      ],
      findings: [],
    });
  });

  test('fails below the minimum coverage of steps and branches', async () => {
    const project = await openTea(black, { 'workflows/bare.json': flow('bare') });
    const { code, out } = await run(project, 'workflows', '--min-coverage', '80');
    expect(code).toBe(1);
    expect(out)
      .toContain(`workflows/tea.yaml:1:1 warning ${testMessages.lowCoverage(66, 50, 80)} (low-coverage)
  help: ${testMessages.testMissed(["step 'pour'", "'milk == true'"], 0)}
`);
    expect(out).toContain(`workflows/bare.json:1:1 warning ${testMessages.noTestRun} (low-coverage)\n`);
    expect(out).toContain(testMessages.summary('1 test passed', 2, '2 workflows'));
    const enough = await run(project, 'workflows/tea.yaml', '--min-coverage', '50');
    expect(enough.code).toBe(0);
    const bare = await run(project, 'workflows/bare.json', '--min-coverage', '1', '--no-explore');
    expect(bare.out).toContain(testMessages.noTestRun);
  });

  test('writes JUnit XML, with problems as failures of the definition', async () => {
    const odd = { ...flow('odd'), variables: [{ name: 'a<b', type: 'string' }] };
    const project = await openTea(black + wrong, { 'workflows/odd.json': odd });
    const { out, code } = await run(project, 'workflows', '--junit', '-');
    expect(code).toBe(1);
    expect(out).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
        <testsuite name="tea" tests="3" failures="1" skipped="0">
          <testcase classname="tea" name="definition"/>
          <testcase classname="tea" name="black" file="workflows/tea.test.yaml" line="2"/>
          <testcase classname="tea" name="wrong" file="workflows/tea.test.yaml" line="7">
            <failure message="The workflow was not completed. The output of &apos;brew&apos; is refused, and the test has no other: Say the minutes.">The workflow was not completed. The output of &apos;brew&apos; is refused, and the test has no other: Say the minutes.
      Position 2 of the path: expected &apos;brew&apos;, found &apos;pour&apos;.
      The output of &apos;brew&apos; was refused: Say the minutes.
      It entered ask, pour, brew.</failure>
          </testcase>
        </testsuite>
        <testsuite name="odd" tests="1" failures="1" skipped="0">
          <testcase classname="odd" name="definition">
            <failure message="workflows/odd.json:1:154 &apos;variables[0].name&apos; must be letters, digits and underscores, not starting with a digit, found the text &quot;a&lt;b&quot; (wrong-value)">workflows/odd.json:1:154 &apos;variables[0].name&apos; must be letters, digits and underscores, not starting with a digit, found the text &quot;a&lt;b&quot; (wrong-value)
      help: Write letters, digits and underscores, not starting with a digit</failure>
          </testcase>
        </testsuite>
      </testsuites>
      "
    `);
    await run(project, 'workflows', '--junit', 'report.xml', '--json');
    expect(await project.read('report.xml')).toBe(out);
  });

  test('writes no character that XML does not allow', async () => {
    const project = await openTea('tests: []', {
      'workflows/tea.test.json': { tests: [{ name: 'odd \u0007\u0000\uFFFE ]]> <"end"' }] },
    });
    const { code, out } = await run(project, 'workflows', '--junit', '-');
    expect(code).toBe(1);
    expect(out).toContain('U+FFFE');
    expect([...out].filter((character) => character < '\t' || character === '\uFFFE')).toEqual([]);
  });

  test('reads the sources of a server if there are no paths', async () => {
    const project = await openTea(black, { 'more/b.json': flow('b-flow'), 'ignored/c.json': '{' });
    const { code, out } = await run(project, '--no-bundled', '--workflows', 'more', '--json');
    expect(code).toBe(0);
    expect(jsonOf('test', out)).toMatchObject({
      checked: 2,
      passed: 1,
      workflows: [{ id: 'b-flow' }, { id: 'tea' }],
    });
  });

  test('accepts a definition, a test file, or the folder of an activity workflow, with the files beside it', async () => {
    const bake = { id: 'bake', version: '1.0.0', name: 'Bake', transitions: [{ to: 'end' }] };
    const bakery = { id: 'bakery', version: '1.0.0', title: 'Bakery', activities: [bake] };
    const project = await openTea(black, {
      'workflows/milk.test.json': {
        workflow: 'tea',
        tests: [{ name: 'by id', outputs: { brew: '2 minutes' }, sets: { ask: { milk: true } } }],
      },
      'workflows/other.json': flow('other', { version: undefined }),
      'workflows/bakery/workflow.json': bakery,
      'workflows/bakery/workflow.test.yaml': 'tests: [{name: baked, expect: {path: [bake]}}]\n',
      'workflows/bakery.test.yaml': 'tests: [{name: from outside}]\n',
    });
    const tried = async (path: string): Promise<unknown> => {
      const { out } = await run(project, path, '--json', '--no-bundled');
      const { checked, workflows, findings } = jsonOf('test', out) as {
        checked: number;
        workflows: { id: string; tests: { name: string; status: string }[] }[];
        findings: unknown[];
      };
      const tests = workflows.flatMap(({ id, tests: all }) =>
        all.map(({ name, status }) => `${id}: ${name} ${status}`),
      );
      return { checked, tests, found: findings.length };
    };
    const teaTests = ['tea: by id passed', 'tea: black passed'];
    const bakeryTests = ['bakery: from outside passed', 'bakery: baked passed'];
    expect(await tried('workflows/tea.yaml')).toEqual({ checked: 1, tests: teaTests, found: 0 });
    expect(await tried('workflows/milk.test.json')).toEqual({
      checked: 1,
      tests: teaTests.slice(0, 1),
      found: 0,
    });
    for (const path of ['workflows/bakery', 'workflows/bakery/workflow.json']) {
      expect(await tried(path)).toEqual({ checked: 1, tests: bakeryTests, found: 0 });
    }
    expect(await tried('workflows/bakery/workflow.test.yaml')).toEqual({
      checked: 1,
      tests: bakeryTests.slice(1),
      found: 0,
    });
    expect(await tried('workflows')).toEqual({
      checked: 3,
      tests: [...bakeryTests, ...teaTests],
      found: 1,
    });
  });
});

describe('test reports and continues after', () => {
  test('a broken definition, whose tests are not run', async () => {
    const project = await openTea(black, { 'workflows/tea.yaml': tea.replace('id: brew', 'idd: brew') });
    const { code, out, err } = await run(project, 'workflows');
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(/^workflows\/tea\.yaml:13:5 error .*'id'.* \(missing-property\)$/m);
    expect(out).toContain(`
WORKFLOW  TESTS   STEPS  BRANCHES
tea       0 of 1  -      -

1 test not run; 2 problems in 1 workflow.
`);
    const { out: xml } = await run(project, 'workflows', '--junit', '-');
    expect(xml).toContain(`<skipped message="${testMessages.brokenWorkflow}"/>`);
  });

  test.each([
    ['tests: [{name: 1}]', "error 'tests[0].name'", 'wrong-value'],
    ['tests: [', 'error ', 'syntax-error'],
    ['workflow: coffee\ntests: [{name: a}]', testMessages.unknownWorkflow('coffee'), 'unknown-workflow'],
    ['tests: [{name: a, expects: {}}]', "'expects'", 'unknown-property'],
  ])('a broken test file: %s', async (text, message, kind) => {
    const { code, out, err } = await run(await openTea(text), 'workflows');
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(/^workflows\/tea\.test\.yaml:1:/);
    expect(out).toContain(message);
    expect(out).toContain(`(${kind})`);
  });

  test("a test file that can't be read", async (context) => {
    const project = await openTea(black);
    const user = await asAnotherUser(project, context);
    await chmod(project.root, 0o755);
    await chmod(join(project.root, 'workflows/tea.test.yaml'), 0);
    const { code, out } = await project.run(['test', 'workflows'], user);
    expect(code).toBe(1);
    expect(out).toContain(testMessages.unreadable('workflows/tea.test.yaml', 'EACCES'));
  });

  test('a workflow that is too large to explore completely', async () => {
    const steps = [
      { id: 'odd', title: 'Odd', prompt: 'Do it.', runCondition: { var: 'code', matches: '^Zq[0-9]{9}$' } },
    ];
    const project = await openTestProject(entry, { 'odd.json': flow('odd', { steps }) });
    const { code, out } = await run(project, 'odd.json');
    expect(code).toBe(0);
    expect(out).toContain(`odd       -      -      -         ${testMessages.notExplored}\n`);
    expect(out).toContain(testMessages.limit('odd', ''));
  });
});

describe("a command that can't be carried out exits with 2", () => {
  test.each([
    [['nowhere'], fileMessages.missing('nowhere')],
    [['notes.txt'], definitionMessages.notDefinition('notes.txt')],
    [['empty'], definitionMessages.none(['empty'])],
    [['workflows', '--json', '--junit', '-'], optionMessages.jsonAndJunit],
    [['workflows', '--junit', 'empty'], fileMessages.notReplaced('empty', 'EISDIR')],
    [['workflows', '--min-coverage', '101'], optionMessages.between(0, 100)],
  ])('%j', async (args, message) => {
    const project = await openTea(black, { 'notes.txt': '' });
    await mkdir(join(project.root, 'empty'));
    const { code, out, err } = await run(project, ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });
});

test('The command test exits quietly when its output is closed', async () => {
  const project = await openTea(black + white);
  const started = project.start(['test', 'workflows']);
  started.child.stdout?.destroy();
  const { code, err } = await started.ended;
  expect({ code, err }).toEqual({ code: 0, err: '' });
});
