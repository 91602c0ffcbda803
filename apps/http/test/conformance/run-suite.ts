import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { newerNode } from '../../../../scripts/support/newer-node.mjs';

/** The results of the official suite for a server. */
export interface SuiteRun {
  /** Exit code of the suite; 0 if every required scenario passed. */
  readonly exitCode: number;
  /** Scenarios that the revision requires of servers. */
  readonly required: readonly string[];
  /** Required scenarios that passed. */
  readonly passed: readonly string[];
  /** Scenarios that passed although the revision does not require them. */
  readonly passedBesides: readonly string[];
  /** Failed checks of the required scenarios, sorted, as `scenario:check`. */
  readonly failedChecks: readonly string[];
}

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
}

const suite = dirname(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
);

/** Runs the scenarios of the official suite for a revision against the server at this address. */
export async function runSuite(url: string, revision: string): Promise<SuiteRun> {
  const results = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const asked = ['server', '--url', url, '--requirements', revision, '--output-dir', results];
    const exitCode = await run(newerNode(), [join(suite, 'dist', 'index.js'), ...asked]);
    const checks = await readResults(results);
    const required = await requiredBy(revision);
    const fine = [...checks].filter(([, found]) => isFine(found)).map(([scenario]) => scenario);
    const failed = required.filter((scenario) => !fine.includes(scenario));
    return {
      exitCode,
      required,
      passed: fine.filter((scenario) => required.includes(scenario)),
      passedBesides: fine.filter((scenario) => !required.includes(scenario)),
      failedChecks: failed.flatMap((scenario) => failedChecksOf(scenario, checks.get(scenario))).toSorted(),
    };
  } finally {
    await rm(results, { recursive: true });
  }
}

function run(program: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { env: {}, maxBuffer: 100_000_000 }, (error, _out, err) => {
      if (child.exitCode === 0 || child.exitCode === 1) resolve(child.exitCode);
      else reject(new Error(`The suite did not run: ${err}`, { cause: error }));
    });
  });
}

/** Reads the checks of each scenario. The suite writes a folder for each, named after the scenario and the time. */
async function readResults(folder: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const results = new Map<string, readonly Check[]>();
  for (const name of await readdir(folder)) {
    const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(name)?.[1];
    if (scenario === undefined) throw new Error(`The suite wrote an unexpected file: ${name}`);
    results.set(scenario, JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')) as Check[]);
  }
  return results;
}

async function requiredBy(revision: string): Promise<readonly string[]> {
  const text = await readFile(join(suite, 'requirements', `${revision}.yaml`), 'utf8');
  const [, list = ''] = /^server:\n((?: {2}- .+\n)+)/m.exec(text) ?? [];
  return [...list.matchAll(/- (.+)/g)].map(([, name = '']) => name);
}

/** Returns whether a scenario passed. A scenario that only skipped checks did not. */
function isFine(checks: readonly Check[]): boolean {
  return checks.some(({ status }) => status === 'SUCCESS') && !checks.some(isFailed);
}

function failedChecksOf(scenario: string, checks: readonly Check[] = []): readonly string[] {
  const failedChecks = checks.filter(isFailed).map(({ id }) => `${scenario}:${id}`);
  return failedChecks.length > 0 ? failedChecks : [`${scenario}: nothing was checked`];
}

function isFailed({ status }: Check): boolean {
  return status === 'FAILURE' || status === 'WARNING';
}
