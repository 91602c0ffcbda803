import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Check, Checks, Folder } from '@workflowlookup/schema';
import { canonicalJson, defined, digestOf, isJsonObject, readChecks } from '@workflowlookup/schema';
import { openRegular } from '../regular-file.ts';
import { digestOfContent } from '../tree/tree-state.ts';

/** Path of the file of checks, from the folder of a project. */
export const checksFile = '.workflowlookup/checks.yaml';

const maxBytes = 1024 * 1024;

/** The checks of a project, as they are now. */
export interface ProjectChecks {
  /** Real path of the file. */
  readonly path: string;
  /** The text of the file, and of everything that it names under `also_trust`. */
  readonly texts: Folder;
  /** The digest of the texts. A person trusts exactly this digest. */
  readonly digest: string;
  /** Absent if the file has an error. */
  readonly checks?: Checks;
  /** The first error in the file. */
  readonly problem?: string;
}

/** Reads the checks of a project; `undefined` if it has no such file. */
export async function readProjectChecks(folder: string): Promise<ProjectChecks | undefined> {
  const path = await checksPathOf(folder);
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const { value, issues } = await readingOf(text);
  const specs = Object.values(value?.checks ?? {}).flatMap(({ also_trust: more = [] }) => more);
  const texts = new Map([[checksFile, text]]);
  for (const spec of specs) {
    // The file itself may be among them. It is not read again, because it may have changed since it was parsed.
    if (!texts.has(spec)) texts.set(spec, await contentOf(folder, spec));
  }
  const [issue] = issues.filter(({ severity }) => severity === 'error');
  return {
    path,
    texts,
    digest: digestOfChecks(texts),
    ...defined({ checks: value, problem: issue && `line ${issue.line}: ${issue.message}` }),
  };
}

let last: { readonly text: string; readonly reading: ReturnType<typeof readChecks> } | undefined;

/** Parses a text, and remembers the last one, because the checks are read each time the state of a folder is read. */
function readingOf(text: string): ReturnType<typeof readChecks> {
  if (last?.text !== text) last = { text, reading: readChecks(text) };
  return last.reading;
}

/** Real path of the file of checks of a folder, whether or not it exists. */
export async function checksPathOf(folder: string): Promise<string> {
  return join(await realpath(folder).catch(() => folder), checksFile);
}

/** The digest of what a person trusts with a file of checks. */
export function digestOfChecks(texts: Folder): string {
  return digestOf({ checks: Object.fromEntries(texts) });
}

/** The names of the checks in a text that was trusted. */
export async function namesIn(texts: Folder | undefined): Promise<readonly string[]> {
  const text = texts?.get(checksFile);
  if (text === undefined) return [];
  return Object.keys((await readChecks(text)).value?.checks ?? {});
}

async function textOf(path: string): Promise<string | undefined> {
  const file = await openRegular(path);
  if (file === undefined) return undefined;
  try {
    return (await file.stat()).size > maxBytes ? '' : await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * Returns the text of a file. If the file is large, is not text or lies outside the project, returns its digest
 * instead.
 */
async function wholeText(path: string, isInside: boolean): Promise<string> {
  const file = await openRegular(path);
  if (file === undefined) return '(no file that can be read)';
  try {
    const found = await file.stat({ bigint: true });
    const bytes = isInside && found.size <= maxBytes ? await file.readFile() : undefined;
    if (bytes !== undefined && isUtf8(bytes)) return bytes.toString('utf8');
    const digest = await digestOfContent(path, found);
    return `(${isInside ? '' : 'outside of the folder, '}${found.size} bytes, ${digest})`;
  } finally {
    await file.close();
  }
}

/**
 * Returns the content that `FILE` or `FILE#/pointer` names, or a text that says what is there instead. The text for a
 * missing file differs from any content, so that trust in a missing file ends when it is created.
 */
async function contentOf(folder: string, spec: string): Promise<string> {
  const [file = '', pointer] = spec.split('#', 2);
  const [root, path] = await Promise.all([
    realpath(folder),
    realpath(join(folder, file)).catch(() => undefined),
  ]);
  if (path === undefined)
    return (await isBehindLink(folder, file)) ? '(a link that leads to no file)' : '(no such file)';
  const text = await wholeText(path, path.startsWith(root + sep));
  if (pointer === undefined) return text;
  try {
    const value = valueAt(JSON.parse(text), pointer);
    return value === undefined ? '(no such value)' : canonicalJson(value);
  } catch {
    // The file is not JSON, so its whole text is used.
    return text;
  }
}

/** Returns whether a path in a folder contains a link. */
async function isBehindLink(folder: string, path: string): Promise<boolean> {
  const names = path.split(sep);
  const places = names.map((_, at) => join(folder, ...names.slice(0, at + 1)));
  const found = await Promise.all(places.map((place) => lstat(place).catch(() => undefined)));
  return found.some((one) => one?.isSymbolicLink() === true);
}

function valueAt(document: unknown, pointer: string): unknown {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  let value = document;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

const head = `# The commands that prove that a step of a workflow was done. A person has to trust this file before a server runs them:
# workflowlookup checks trust
checks:
`;

/** Writes a file of checks. JSON is YAML, so each value is written as JSON. */
export function checksText(proposed: readonly ProposedCheck[]): string {
  if (proposed.length === 0) return `${head.trimEnd()} {}\n`;
  return (
    head +
    proposed
      .map(({ name, check }) => {
        const fields = Object.entries(check).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}\n`);
        return `  ${name}:\n${fields.join('')}`;
      })
      .join('')
  );
}

/** A check that a project could have, and where it was found. */
export interface ProposedCheck {
  readonly name: string;
  readonly check: Check;
  /** The file that shows it. */
  readonly from: string;
}

/** The path at which proposed commands write their JUnit report. */
const report = 'reports/junit.xml';

/**
 * Proposes checks for a project from its files: scripts of package.json, a Makefile, and the build files of Python, Rust,
 * Go, Gradle and Maven. The first proposal of a name counts.
 */
export function proposeChecks(folder: string): readonly ProposedCheck[] {
  const found = [npm, python, rust, go, gradle, maven, make].flatMap((propose) => propose(folder));
  const names = new Set<string>();
  return found.filter(({ name }) => !names.has(name) && names.add(name));
}

function has(folder: string, ...files: readonly string[]): boolean {
  return files.some((file) => existsSync(join(folder, file)));
}

function fileText(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8');
  } catch {
    // There is no such file.
    return '';
  }
}

interface PackageJson {
  readonly scripts?: Readonly<Record<string, unknown>>;
  readonly packageManager?: string;
  readonly dependencies?: object;
  readonly devDependencies?: object;
}

/** Scripts that check something, by the name that workflows know them by. */
const scripts: Readonly<Record<string, readonly string[]>> = {
  test: ['test'],
  lint: ['lint'],
  types: ['types', 'typecheck', 'type-check', 'check-types', 'tsc'],
  format: ['format:check', 'check-format', 'format-check'],
  build: ['build'],
};

/**
 * Files in which a package manager can be told to run something else than the script. They are trusted as they are, even
 * as missing, because an agent could create them.
 */
const settings: Readonly<Record<string, readonly string[]>> = {
  npm: ['.npmrc'],
  pnpm: ['.npmrc', 'pnpm-workspace.yaml'],
  yarn: ['.yarnrc.yml', '.yarnrc'],
  bun: ['bunfig.toml'],
};

function npm(folder: string): readonly ProposedCheck[] {
  const manifest = packageJson(folder);
  if (manifest === undefined) return [];
  const manager = packageManager(folder, manifest);
  const found = Object.entries(scripts).flatMap(([name, candidates]) => {
    const script = candidates.find((one) => isUsable(manifest.scripts?.[one]));
    if (script === undefined) return [];
    const text = String(manifest.scripts?.[script]);
    const also = {
      also_trust: [
        `package.json#/scripts/${script}`,
        ...(settings[manager] ?? []),
        ...(manager === 'yarn' ? ownYarn(folder) : []),
      ],
    };
    const run = script === 'test' ? `${manager} test` : `${manager} run ${script}`;
    const counted = name === 'test' ? withJunit(run, text, { manager, manifest }) : { run };
    return [{ name, check: { ...counted, ...also }, from: 'package.json' }];
  });
  const isWorkspace = has(folder, 'pnpm-workspace.yaml');
  if (!isWorkspace || found.some(({ name }) => name === 'test')) return found;
  const workspace = { run: 'pnpm -r test', also_trust: settings['pnpm'] ?? [] };
  return [{ name: 'test', check: workspace, from: 'pnpm-workspace.yaml' }, ...found];
}

/** Yarn runs the copy of itself that its settings name. */
function ownYarn(folder: string): readonly string[] {
  const [, path] = /^yarnPath: *["']?([^"'\n]+)/m.exec(fileText(folder, '.yarnrc.yml')) ?? [];
  return path === undefined ? [] : [path.trim()];
}

function packageJson(folder: string): PackageJson | undefined {
  try {
    const value: unknown = JSON.parse(fileText(folder, 'package.json'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    // The file does not exist, or it is not JSON.
    return undefined;
  }
}

/** The script that `npm init` writes only fails. */
function isUsable(script: unknown): boolean {
  return typeof script === 'string' && !script.includes('no test specified');
}

function packageManager(folder: string, { packageManager: named = '' }: PackageJson): string {
  if (/^(pnpm|yarn|bun|npm)@/.test(named)) return named.split('@', 1)[0] ?? 'npm';
  if (has(folder, 'pnpm-lock.yaml', 'pnpm-workspace.yaml')) return 'pnpm';
  if (has(folder, 'yarn.lock')) return 'yarn';
  return has(folder, 'bun.lock', 'bun.lockb') ? 'bun' : 'npm';
}

/** Adds a JUnit report to a command if its test runner can write one without another package. */
function withJunit(
  run: string,
  script: string,
  { manager, manifest }: { readonly manager: string; readonly manifest: PackageJson },
): Check {
  const reports = [{ junit: report }];
  // npm takes the arguments of a script after two dashes; the others pass on what they do not know.
  const pass = manager === 'npm' ? ' --' : '';
  if (/\bvitest\b[^&|;]*$/.test(script))
    return {
      run: `${run}${pass} --reporter=default --reporter=junit --outputFile.junit=${report}`,
      reports,
    };
  if (/^node --test$/.test(script.trim()))
    return {
      run: `mkdir -p reports && ${run}${pass} --test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=${report}`,
      reports,
    };
  const packages = { ...manifest.dependencies, ...manifest.devDependencies };
  if (/\bjest\b[^&|;]*$/.test(script) && 'jest-junit' in packages)
    return {
      run: `JEST_JUNIT_OUTPUT_FILE=${report} ${run}${pass} --reporters=default --reporters=jest-junit`,
      reports,
    };
  return { run };
}

function python(folder: string): readonly ProposedCheck[] {
  const project = fileText(folder, 'pyproject.toml');
  const isPytest =
    has(folder, 'pytest.ini', 'conftest.py') ||
    /\bpytest\b/.test(project) ||
    /\[tool:pytest\]/.test(fileText(folder, 'setup.cfg'));
  if (!isPytest) return [];
  const start = has(folder, 'uv.lock')
    ? 'uv run '
    : has(folder, 'poetry.lock')
      ? 'poetry run '
      : 'python3 -m ';
  const check = { run: `${start}pytest --junitxml=${report}`, reports: [{ junit: report }] };
  return [{ name: 'test', check, from: project === '' ? 'pytest.ini' : 'pyproject.toml' }];
}

function rust(folder: string): readonly ProposedCheck[] {
  if (!has(folder, 'Cargo.toml')) return [];
  // They can name another compiler, and a program that runs the tests.
  const also = ['.cargo/config.toml', '.cargo/config', 'rust-toolchain.toml', 'rust-toolchain'];
  return [{ name: 'test', check: { run: 'cargo test', also_trust: also }, from: 'Cargo.toml' }];
}

function go(folder: string): readonly ProposedCheck[] {
  if (!has(folder, 'go.mod')) return [];
  return [
    { name: 'test', check: { run: 'go test ./...' }, from: 'go.mod' },
    { name: 'lint', check: { run: 'go vet ./...' }, from: 'go.mod' },
  ];
}

function gradle(folder: string): readonly ProposedCheck[] {
  const files = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];
  const from = files.find((one) => has(folder, one));
  if (from === undefined) return [];
  const { program, wrapper } = wrapped(folder, 'gradle', 'gradle/wrapper/gradle-wrapper');
  const check = {
    run: `${program} test`,
    reports: [{ junit: '**/build/test-results/test/*.xml' }],
    timeout: '20m',
    ...(wrapper.length > 0 && { also_trust: wrapper }),
  };
  return [{ name: 'test', check, from }];
}

function maven(folder: string): readonly ProposedCheck[] {
  if (!has(folder, 'pom.xml')) return [];
  const { program, wrapper } = wrapped(folder, 'mvn', '.mvn/wrapper/maven-wrapper');
  const check = {
    run: `${program} -B test`,
    reports: [{ junit: '**/target/surefire-reports/*.xml' }],
    timeout: '20m',
    also_trust: ['.mvn/maven.config', '.mvn/jvm.config', '.mvn/extensions.xml', ...wrapper],
  };
  return [{ name: 'test', check, from: 'pom.xml' }];
}

/** Returns the wrapper script of a build tool with the files that it runs, or the tool itself without one. */
function wrapped(
  folder: string,
  tool: string,
  files: string,
): { readonly program: string; readonly wrapper: readonly string[] } {
  const script = `${tool}w`;
  if (!has(folder, script)) return { program: tool, wrapper: [] };
  return { program: `./${script}`, wrapper: [script, `${files}.jar`, `${files}.properties`] };
}

function make(folder: string): readonly ProposedCheck[] {
  // Of several, make takes the first.
  const files = ['GNUmakefile', 'makefile', 'Makefile'];
  const file = files.find((one) => has(folder, one));
  if (file === undefined) return [];
  const text = fileText(folder, file);
  return ['test', 'lint', 'build'].flatMap((target) => {
    const names = target === 'test' ? ['test', 'check', 'tests'] : [target];
    const found = names.find((name) => new RegExp(`^${name}\\s*:(?!=)`, 'm').test(text));
    if (found === undefined) return [];
    return [{ name: target, check: { run: `make ${found}`, also_trust: files }, from: file }];
  });
}
