import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';

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

function textOf(folder: string, file: string): string {
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
 * Files in which a package manager can be told to run something else than the script. They are trusted as they are, also if
 * there are none.
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
    const also = { also_trust: [`package.json#/scripts/${script}`, ...(settings[manager] ?? [])] };
    const run = script === 'test' ? `${manager} test` : `${manager} run ${script}`;
    const counted = name === 'test' ? withJunit(run, text, { manager, manifest }) : { run };
    return [{ name, check: { ...counted, ...also }, from: 'package.json' }];
  });
  const isWorkspace = has(folder, 'pnpm-workspace.yaml');
  if (!isWorkspace || found.some(({ name }) => name === 'test')) return found;
  const workspace = { run: 'pnpm -r test', also_trust: settings['pnpm'] ?? [] };
  return [{ name: 'test', check: workspace, from: 'pnpm-workspace.yaml' }, ...found];
}

function packageJson(folder: string): PackageJson | undefined {
  try {
    const value: unknown = JSON.parse(textOf(folder, 'package.json'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    // There is none, or it is not JSON.
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
  const project = textOf(folder, 'pyproject.toml');
  const isPytest =
    has(folder, 'pytest.ini', 'conftest.py') ||
    /\bpytest\b/.test(project) ||
    /\[tool:pytest\]/.test(textOf(folder, 'setup.cfg'));
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
  return [{ name: 'test', check: { run: 'cargo test' }, from: 'Cargo.toml' }];
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
  const file = files.find((one) => has(folder, one));
  if (file === undefined) return [];
  const run = `${has(folder, 'gradlew') ? './gradlew' : 'gradle'} test`;
  const check = { run, reports: [{ junit: '**/build/test-results/test/*.xml' }], timeout: '20m' };
  return [{ name: 'test', check, from: file }];
}

function maven(folder: string): readonly ProposedCheck[] {
  if (!has(folder, 'pom.xml')) return [];
  const run = `${has(folder, 'mvnw') ? './mvnw' : 'mvn'} -B test`;
  const check = { run, reports: [{ junit: '**/target/surefire-reports/*.xml' }], timeout: '20m' };
  return [{ name: 'test', check, from: 'pom.xml' }];
}

function make(folder: string): readonly ProposedCheck[] {
  const file = ['GNUmakefile', 'makefile', 'Makefile'].find((one) => has(folder, one));
  if (file === undefined) return [];
  const text = textOf(folder, file);
  return ['test', 'lint', 'build'].flatMap((target) => {
    const names = target === 'test' ? ['test', 'check', 'tests'] : [target];
    const found = names.find((name) => new RegExp(`^${name}\\s*:(?!=)`, 'm').test(text));
    if (found === undefined) return [];
    return [{ name: target, check: { run: `make ${found}`, also_trust: [file] }, from: file }];
  });
}
