// `node scripts/run.mjs mutation [area…]` makes small changes to the code, one at a time, and lists the changes that no
// test detected.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { areas } from './support/mutation-areas.mjs';
import { newerNode } from './support/newer-node.mjs';
import { cache, root } from './support/workspace.mjs';

/** The tests must detect at least this percentage of the changes. */
const bound = 90;

const stryker = join(
  createRequire(import.meta.url).resolve('@stryker-mutator/core/package.json'),
  '../bin/stryker.js',
);

const named = process.argv.slice(2);
const unknown = named.find((name) => !Object.hasOwn(areas, name));
if (unknown !== undefined) {
  console.error(`There is no area '${unknown}'. The areas are: ${Object.keys(areas).join(', ')}`);
  process.exit(2);
}
for (const name of named.length > 0 ? named : Object.keys(areas)) {
  const { killed, all, left } = mutate(name);
  const percent = (killed / all) * 100;
  const figures = `${killed} of ${all} changes were detected by a test (${percent.toFixed(1)} %)`;
  console.log([...left, `${name}: ${figures}`].join('\n'));
  if (percent < bound) process.exitCode = 1;
}

/** Mutates an area. Returns how many changes there were and were detected, and a line for each undetected change. */
function mutate(name) {
  const report = join(cache, `mutation-${name}.json`);
  const config = join(cache, `mutation-${name}.config.json`);
  writeFileSync(config, JSON.stringify(options(name, report)));
  const { status } = spawnSync(newerNode(), [stryker, 'run', config], {
    cwd: root,
    env: { ...process.env, WORKFLOWLOOKUP_MUTATION: name },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(`Stryker failed for the area '${name}'.`);
  const files = Object.entries(JSON.parse(readFileSync(report, 'utf8')).files);
  const mutants = files.flatMap(([file, one]) => one.mutants.map((mutant) => ({ file, ...mutant })));
  const judged = mutants.filter(({ status: found }) => found !== 'Ignored' && !found.endsWith('Error'));
  const missed = judged.filter(({ status: found }) => found === 'Survived' || found === 'NoCoverage');
  return { killed: judged.length - missed.length, all: judged.length, left: missed.map(lineOf) };
}

function options(name, report) {
  const code = areas[name].code.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`));
  return {
    packageManager: 'pnpm',
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'vitest.mutation.config.ts', related: false },
    mutate: [...code, '!**/index.ts', '!**/generated/**'],
    coverageAnalysis: 'perTest',
    // For each mutant in code that runs when its module is loaded, every test would have to run again.
    ignoreStatic: true,
    concurrency: 2,
    // Stryker rewrites this file with an API that TypeScript 7 doesn't have, unless the file doesn't exist.
    tsconfigFile: 'none.json',
    disableTypeChecks: true,
    ignorePatterns: ['**/dist', 'apps', 'benchmarks', 'examples'],
    tempDirName: '.mutation',
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: report },
    allowConsoleColors: false,
  };
}

function lineOf({ file, location: { start }, mutatorName, replacement = '' }) {
  return `${file}:${start.line}:${start.column} ${mutatorName}: ${replacement.replaceAll(/\s+/g, ' ').slice(0, 80)}`;
}
