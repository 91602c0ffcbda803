// Runs one task in a prepared workspace: `node scripts/run.mjs <task> [arguments]`. Needs Node and npm, nothing installed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { prepare } from './prepare.mjs';

const build = ['turbo', 'run', 'build', '--output-logs=errors-only'];
const gate = ['node', 'scripts/gate.mjs'];
const vitest = (args) => ['vitest', 'run', ...args];

/** Task name to what it is for and the commands it runs, in order. */
const tasks = {
  start: { about: 'build, then the demo', steps: (args) => [build, ['node', 'scripts/demo.mjs', ...args]] },
  build: { about: 'every package and app, into dist/', steps: (args) => [[...build, ...args]] },
  test: {
    about: 'every check and test; with arguments, only the vitest files they name',
    steps: (args) => [args.length > 0 ? vitest(args) : gate],
  },
  'test:long': { about: 'the same with the long form of every suite', steps: () => [[...gate, '--long']] },
  bench: {
    about: 'build, then the benchmarks',
    steps: (args) => [build, ['node', 'benchmarks/main.mjs', ...args]],
  },
  vitest: { about: 'vitest files by name, nothing built', steps: (args) => [vitest(args)] },
  lint: {
    about: 'oxlint, with types',
    steps: (args) => [['oxlint', '--type-aware', '--deny-warnings', ...args]],
  },
  types: { about: 'one type check of the whole tree', steps: () => [['tsc', '-p', 'tsconfig.json']] },
  format: { about: 'lay out every file', steps: (args) => [['oxfmt', ...args]] },
  api: {
    about: 'build, then rewrite the checked-in API reports',
    steps: (args) => [build, ['node', 'scripts/api-reports.mjs', '--update', ...args]],
  },
  changeset: { about: 'describe a change for its users', steps: (args) => [['changeset', ...args]] },
};

const [name, ...args] = process.argv.slice(2);
const task = Object.hasOwn(tasks, name ?? '') ? tasks[name] : undefined;
if (task === undefined) {
  const list = Object.entries(tasks).map(([key, { about }]) => `  ${key.padEnd(10)} ${about}`);
  console.error(`Usage: node scripts/run.mjs <task> [arguments]\n${list.join('\n')}`);
  process.exit(2);
}

const env = prepare();
if (existsSync('scripts/generate.mjs')) run(['node', 'scripts/generate.mjs']);
for (const step of task.steps(args)) run(step);

/** Runs one command in the foreground; a failure ends the whole task with the command's exit code. */
function run([command, ...rest]) {
  const shell = process.platform === 'win32';
  const program = command === 'node' && !shell ? process.execPath : command;
  const { status, error } = spawnSync(program, rest, { env, shell, stdio: 'inherit' });
  if (error !== undefined) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}
