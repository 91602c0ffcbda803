// `node benchmarks/main.mjs` measures the built apps and prints the results in one table. `--help` lists the options.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleBaseline } from './baselines/bundle-baseline.mjs';
import * as advance from './rows/advance.mjs';
import * as cliStart from './rows/cli-start.mjs';
import * as coldStart from './rows/cold-start.mjs';
import * as cpu from './rows/cpu.mjs';
import * as edit from './rows/edit.mjs';
import * as evidence from './rows/evidence.mjs';
import * as http from './rows/http.mjs';
import * as httpPostgres from './rows/http-postgres.mjs';
import * as install from './rows/install.mjs';
import * as load from './rows/load.mjs';
import * as memory from './rows/memory.mjs';
import * as resume from './rows/resume.mjs';
import * as sessionTokens from './rows/session-tokens.mjs';
import * as stall from './rows/stall.mjs';
import * as stepTokens from './rows/step-tokens.mjs';
import * as storedBytes from './rows/stored-bytes.mjs';
import * as toolTokens from './rows/tool-tokens.mjs';
import * as workflowNext from './rows/workflow-next.mjs';
import { formatTable } from './figures/table.mjs';

const benchmarks = [
  coldStart,
  cliStart,
  memory,
  workflowNext,
  cpu,
  advance,
  http,
  httpPostgres,
  toolTokens,
  stepTokens,
  sessionTokens,
  resume,
  storedBytes,
  load,
  edit,
  evidence,
  stall,
  install,
];

const usage = `Usage: node benchmarks/main.mjs [BENCHMARK…] [OPTION…]

Measures the built apps, and prints the results in one table.

Benchmarks: ${benchmarks.map(({ name }) => name).join(', ')}

Options:
  --json FILE          also write the results to a file
  --server FILE        measure another build of the stdio app
  --http-server FILE   measure another build of the HTTP app`;

const { values, positionals } = readArguments();
if (values.help) {
  console.log(usage);
  process.exit();
}
const unknown = positionals.filter((wanted) => !benchmarks.some(({ name }) => name === wanted));
if (unknown.length > 0) refuse(`There is no benchmark '${unknown.join(', ')}'.\n\n${usage}`);
const serverFile = builtFile(values.server, '../apps/stdio/dist/main.js');
const httpFile = builtFile(values['http-server'], '../apps/http/dist/main.js');

const scratch = await mkdtemp(join(tmpdir(), 'workflowlookup-bench-'));
try {
  const echoFile = await bundleBaseline('echo.mjs', join(scratch, 'echo', 'main.mjs'));
  const chosen = benchmarks.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const { results, failures } = await runAll(chosen, { serverFile, httpFile, echoFile, scratch });
  console.log(`${describeRun()}; minimum / median.\n`);
  console.log(formatTable(results));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`);
  const broken = results.filter(({ exact, holds }) => exact && holds === false);
  if (failures > 0 || broken.length > 0) process.exitCode = 1;
} finally {
  await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
}

function readArguments() {
  const file = { type: 'string' };
  try {
    return parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean' }, json: file, server: file, 'http-server': file },
    });
  } catch (error) {
    return refuse(`${error.message}\n\n${usage}`);
  }
}

/** Returns the file of an app: the named one, or that of the build. */
function builtFile(named, usual) {
  const file = resolve(named ?? fileURLToPath(new URL(usual, import.meta.url)));
  if (!existsSync(file)) refuse(`${file} does not exist. Build first, or use npm run bench, which builds.`);
  return file;
}

/** Runs benchmarks one after the other, so that they don't disturb each other. */
async function runAll(chosen, bench) {
  const results = [];
  let failures = 0;
  for (const benchmark of chosen) {
    const { name } = benchmark;
    const reason = benchmark.skipped?.();
    if (reason !== undefined) {
      console.error(`${name} is skipped, because it ${reason}`);
      continue;
    }
    console.error(`${name} …`);
    try {
      for (const row of await benchmark.run(bench)) results.push({ benchmark: name, ...row });
    } catch (error) {
      failures += 1;
      console.error(`${name} could not run:`, error);
    }
  }
  return { results, failures };
}

/** Returns the date, the commit and the machine of this run. */
function describeRun() {
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
  const commit = stdout?.trim() || 'unknown';
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, commit ${commit}, Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model}`;
}

function refuse(reason) {
  console.error(reason);
  process.exit(2);
}
