import { execFile, execFileSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defineWorkflow } from '@workflowlookup/core';
import { createHost } from '@workflowlookup/host';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeGitFolder } from '../../../../packages/evidence/test/support/git-folder.ts';
import { isLong } from '../../../../test/support/is-long.ts';
import { startCli } from '../support/cli-process.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

// `checks init` proposes commands for small projects of many kinds. The commands are also run if their tools are
// installed.

const root = join(import.meta.dirname, '../../../..');

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

interface Kind {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** A file that makes the tests fail. */
  readonly breaks: readonly [path: string, text: string];
  /** The commands that `checks init` proposes. */
  readonly commands: Readonly<Record<string, string>>;
  /** Number of tests in the report of `test`; absent if the tool writes no report. */
  readonly tests?: number;
  /** Programs and files that the commands need. */
  readonly needs?: readonly string[];
  /** Whether the commands are run only in the long form, because each takes a minute. */
  readonly isSlow?: true;
  readonly prepare?: (folder: string) => Promise<void> | void;
  readonly env?: Readonly<Record<string, string>>;
}

const nodeTest = (right: boolean): string =>
  `const { test } = require('node:test');\nconst { equal } = require('node:assert');\ntest('adds', () => equal(1 + 1, ${right ? 2 : 3}));\ntest('subtracts', () => equal(2 - 1, 1));\n`;

const manifest = (script: string, more: object = {}): string =>
  JSON.stringify({ name: 'small', private: true, scripts: { test: script }, ...more });

const javaTest = (right: boolean): string => `import static org.junit.Assert.assertEquals;
import org.junit.Test;
public class AddTest {
  @Test public void adds() { assertEquals(${right ? 2 : 3}, 1 + 1); }
  @Test public void subtracts() { assertEquals(1, 2 - 1); }
}
`;

const mavenHome = '/usr/share/maven-repo';

const kinds: readonly Kind[] = [
  {
    name: 'npm with node:test',
    files: {
      'package.json': manifest('node --test', {
        scripts: { test: 'node --test', lint: 'true', 'format:check': 'true' },
      }),
      'add.test.js': nodeTest(true),
    },
    breaks: ['add.test.js', nodeTest(false)],
    commands: {
      test: 'mkdir -p reports && npm test -- --test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=reports/junit.xml',
      lint: 'npm run lint',
      format: 'npm run format:check',
    },
    tests: 2,
  },
  {
    name: 'npm with vitest',
    files: {
      'package.json': manifest('vitest', { devDependencies: { vitest: '*' } }),
      'add.test.js': `import { expect, test } from 'vitest';\ntest('adds', () => expect(1 + 1).toBe(2));\ntest('subtracts', () => expect(2 - 1).toBe(1));\n`,
    },
    breaks: [
      'add.test.js',
      `import { expect, test } from 'vitest';\ntest('adds', () => expect(1 + 1).toBe(3));\n`,
    ],
    commands: {
      test: 'npm test -- --reporter=default --reporter=junit --outputFile.junit=reports/junit.xml',
    },
    tests: 2,
    prepare: (folder) => symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules')),
  },
  {
    name: 'npm with jest and jest-junit',
    files: {
      'package.json': manifest('jest', { devDependencies: { jest: '30.2.0', 'jest-junit': '16.0.0' } }),
      'add.test.js': `test('adds', () => expect(1 + 1).toBe(2));\ntest('subtracts', () => expect(2 - 1).toBe(1));\n`,
    },
    breaks: ['add.test.js', `test('adds', () => expect(1 + 1).toBe(3));\n`],
    commands: {
      test: 'JEST_JUNIT_OUTPUT_FILE=reports/junit.xml npm test -- --reporters=default --reporters=jest-junit',
    },
    tests: 2,
    prepare: installed,
  },
  {
    name: 'a workspace of pnpm',
    files: {
      'package.json': JSON.stringify({ name: 'small', private: true }),
      'pnpm-workspace.yaml': 'packages: [packages/*]\n',
      'packages/one/package.json': manifest('node --test'),
      'packages/one/add.test.js': nodeTest(true),
    },
    breaks: ['packages/one/add.test.js', nodeTest(false)],
    commands: { test: 'pnpm -r test' },
    needs: ['pnpm'],
  },
  {
    name: 'pytest',
    files: {
      'pyproject.toml': '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
      'tests/test_add.py':
        'def test_adds():\n    assert 1 + 1 == 2\n\n\ndef test_subtracts():\n    assert 2 - 1 == 1\n',
    },
    breaks: ['tests/test_add.py', 'def test_adds():\n    assert 1 + 1 == 3\n'],
    commands: { test: 'python3 -m pytest --junitxml=reports/junit.xml' },
    tests: 2,
    needs: ['python3 -m pytest --version'],
  },
  {
    name: 'cargo',
    files: {
      'Cargo.toml': '[package]\nname = "small"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': '#[test]\nfn adds() {\n    assert_eq!(1 + 1, 2);\n}\n',
    },
    breaks: ['src/lib.rs', '#[test]\nfn adds() {\n    assert_eq!(1 + 1, 3);\n}\n'],
    commands: { test: 'cargo test' },
    needs: ['cargo --version'],
  },
  {
    name: 'go',
    files: {
      'go.mod': 'module example.com/small\n\ngo 1.19\n',
      'add_test.go':
        'package small\n\nimport "testing"\n\nfunc TestAdds(t *testing.T) {\n\tif 1+1 != 2 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    },
    breaks: [
      'add_test.go',
      'package small\n\nimport "testing"\n\nfunc TestAdds(t *testing.T) {\n\tt.Fatal("wrong")\n}\n',
    ],
    commands: { test: 'go test ./...', lint: 'go vet ./...' },
    needs: ['go version'],
  },
  {
    name: 'Gradle',
    isSlow: true,
    files: {
      'settings.gradle': "rootProject.name = 'small'\n",
      'build.gradle':
        "apply plugin: 'java'\ndependencies {\n  testImplementation files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar')\n}\n",
      'src/test/java/AddTest.java': javaTest(true),
    },
    breaks: ['src/test/java/AddTest.java', javaTest(false)],
    commands: { test: 'gradle test' },
    tests: 2,
    needs: ['gradle --version', '/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar'],
  },
  {
    name: 'Maven',
    isSlow: true,
    files: {
      'pom.xml': `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>com.example</groupId><artifactId>small</artifactId><version>1</version>
<properties><maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency></dependencies>
<build><plugins>
<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
<plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
</plugins></build></project>
`,
      '.mvn/maven.config': '-o\n-s\n.mvn/settings.xml\n',
      '.mvn/settings.xml': `<settings><localRepository>${mavenHome}</localRepository></settings>\n`,
      'src/test/java/AddTest.java': javaTest(true),
    },
    breaks: ['src/test/java/AddTest.java', javaTest(false)],
    commands: { test: 'mvn -B test' },
    tests: 2,
    needs: [
      'mvn --version',
      join(mavenHome, 'org/apache/maven/plugins/maven-resources-plugin/3.3.0'),
      join(mavenHome, 'org/apache/maven/plugins/maven-compiler-plugin/3.10.1'),
      join(mavenHome, 'org/apache/maven/plugins/maven-surefire-plugin/2.22.3'),
      join(mavenHome, 'org/apache/maven/surefire/surefire-junit4'),
    ],
  },
  {
    name: 'a Makefile',
    files: {
      Makefile: 'CHECK := true\n\n.PHONY: check build\ncheck: build\n\tsh test.sh\nbuild:\n\ttrue\n',
      'test.sh': 'exit 0\n',
    },
    breaks: ['test.sh', 'exit 3\n'],
    commands: { test: 'make check', build: 'make build' },
    needs: ['make --version'],
  },
];

/** Installs the packages of a project, from the npm cache if possible. */
async function installed(folder: string): Promise<void> {
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: folder,
    timeout: 120_000,
  });
}

/** Returns why the commands of a project can't be run now. */
function obstacleOf({ needs = [], isSlow }: Kind): string | undefined {
  if (isSlow === true && !isLong) return 'this is slow, so only `npm run test:long` runs it';
  const lack = needs.find((one) => {
    if (one.startsWith('/')) return !existsSync(one);
    const [program = '', ...args] = one.split(' ');
    try {
      execFileSync(program, args.length === 0 ? ['--version'] : args, { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
  return lack === undefined ? undefined : `this machine has no ${lack}`;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns a function that runs `checks` in a folder, and returns its exit code and its JSON. Expects that the JSON
 * matches its schema.
 */
function checksIn(folder: string) {
  return async (command: string, ...args: readonly string[]): Promise<{ code: unknown; json: Fields }> => {
    const { code, out, err } = await startCli(['checks', command, ...args, '--json'], {
      entry,
      cwd: folder,
      env: environmentOf(folder),
    }).ended;
    const json = out === '' ? JSON.parse(err) : jsonOf(`checks-${command}`, out);
    return { code, json: json as Fields };
  };
}

function environmentOf(folder: string): Readonly<Record<string, string>> {
  return { HOME: process.env['HOME'] ?? folder, WORKFLOWLOOKUP_STATE: join(folder, '.git/state') };
}

test.each(kinds)('The proposed commands work in a project with $name', { timeout: 240_000 }, async (kind) => {
  const { folder, write, commit } = makeGitFolder();
  for (const [path, text] of Object.entries(kind.files)) write(path, text);
  write('.gitignore', 'node_modules\n__pycache__\ntarget\nbuild\n.gradle\n');
  commit();
  const run = checksIn(folder);
  const { code, json } = await run('init');
  expect(code).toBe(0);
  const proposed = json['checks'] as readonly { readonly name: string; readonly command: string }[];
  expect(Object.fromEntries(proposed.map(({ name, command }) => [name, command]))).toEqual(kind.commands);
  expect(await run('list')).toMatchObject({ code: 1, json: { trust: 'untrusted' } });
  const obstacle = obstacleOf(kind);
  if (obstacle !== undefined) {
    process.stdout.write(`not run: the checks of a project with ${kind.name}: ${obstacle}\n`);
    return;
  }
  await kind.prepare?.(folder);
  for (const name of Object.keys(kind.commands)) {
    const ran = await run('run', name);
    expect(ran.json).toMatchObject({ passed: true, reasons: [], exitCode: 0 });
    const isCounted = name === 'test' && kind.tests !== undefined;
    expect(ran.json['tests']).toEqual(
      isCounted ? { run: kind.tests, failed: 0, skipped: 0, failures: [] } : undefined,
    );
  }
  write(...kind.breaks);
  const broken = await run('run', 'test');
  const counts = kind.tests === undefined ? {} : { tests: { failed: 1 } };
  expect(broken).toMatchObject({ code: 1, json: { passed: false, ...counts } });
});

const counting = defineWorkflow({
  id: 'count-tests',
  name: 'Count tests',
  description: 'Runs the tests.',
  version: '1.0.0',
  steps: [
    {
      id: 'build',
      title: 'Build',
      prompt: 'Build it.',
      evidence: [{ id: 'tests', check: 'test', tests: 'not-fewer' }],
    },
  ],
});

test('Only a person at a terminal can trust checks, or accept fewer tests', async () => {
  const { folder, write, commit } = makeGitFolder();
  const suite = (count: number): string => `<testsuite>${'<testcase/>'.repeat(count)}</testsuite>`;
  write('.gitignore', 'reports\n');
  write('suite.xml', suite(2));
  const run = 'mkdir -p reports && cp suite.xml reports/junit.xml';
  write(
    '.workflowlookup/checks.yaml',
    JSON.stringify({ checks: { test: { run, reports: [{ junit: 'reports/junit.xml' }] } } }),
  );
  commit();
  const checks = checksIn(folder);
  const atTerminal = async (input: string, ...args: readonly string[]) => {
    const options = { entry, cwd: folder, env: environmentOf(folder), inTerminal: true, input };
    const { code, out } = await startCli(['checks', ...args], options).ended;
    return { code, out };
  };
  expect(await checks('trust')).toMatchObject({ code: 2, json: { error: { code: 'HUMAN_REQUIRED' } } });
  expect((await atTerminal('n\n', 'trust')).code).toBe(1);
  expect(await checks('list')).toMatchObject({ json: { trust: 'untrusted' } });
  const trusted = await atTerminal('y\n', 'trust');
  expect(trusted.code).toBe(0);
  expect(trusted.out).toContain(run);
  expect(await checks('list')).toMatchObject({ code: 0, json: { trust: 'trusted' } });
  write('.workflowlookup/checks.yaml', 'checks: {test: {run: "true"}}\n');
  expect(await checks('list')).toMatchObject({ code: 1, json: { trust: 'changed' } });
  const changed = await atTerminal('y\n', 'trust');
  expect(changed.out).toMatch(/-.*cp suite\.xml/);
  expect(await checks('init')).toMatchObject({ code: 2, json: { error: { code: 'CONFLICT' } } });
  expect(await checks('run', 'lint')).toMatchObject({ code: 2, json: { error: { code: 'NOT_FOUND' } } });
  expect(await checks('run', 'test', '--accept')).toMatchObject({
    code: 2,
    json: { error: { code: 'HUMAN_REQUIRED' } },
  });
  // A check with fewer tests than before counts as failed, until a person accepts the lower number.
  const counted = JSON.stringify({ checks: { test: { run, reports: [{ junit: 'reports/junit.xml' }] } } });
  write('.workflowlookup/checks.yaml', counted);
  commit();
  await atTerminal('y\n', 'trust');
  const collected = async () => {
    const host = createHost({
      definitions: [counting],
      includeBundled: false,
      includeUser: false,
      workingDirectory: folder,
      stateDirectory: join(folder, '.git/state'),
      environment: process.env,
      evidence: true,
    });
    try {
      const { token } = await host.sessions.start({ agentId: 'agent', workflowId: counting.id });
      const entered = await host.sessions.move(token, {});
      const { value } = await host.sessions.collect(entered.token, { waitMs: 20_000 });
      return value.evidence.map(({ status, recorded }) => [status, recorded?.result.tests?.run]);
    } finally {
      await host.close();
    }
  };
  expect(await collected()).toEqual([['passed', 2]]);
  write('suite.xml', suite(1));
  expect(await collected()).toEqual([['failed', 1]]);
  write('suite.xml', '<testsuite><testcase><failure/></testcase></testsuite>');
  expect((await atTerminal('', 'run', 'test', '--accept')).code).toBe(1);
  write('suite.xml', suite(1));
  expect(await collected()).toEqual([['failed', 1]]);
  expect((await atTerminal('', 'run', 'test', '--accept')).code).toBe(0);
  expect(await collected()).toEqual([['passed', 1]]);
});
