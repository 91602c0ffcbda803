// Runs one task in a prepared workspace: `node scripts/run.mjs <task> [arguments]`. Needs Node and npm, nothing
// installed.
import { foreground } from './support/foreground.mjs';
import { prepare } from './support/prepare.mjs';

const build = ['turbo', 'run', 'build', '--output-logs=errors-only'];
const gate = ['node', 'scripts/gate.mjs'];
// With linked packages, `deploy` would ignore the lock file.
const deploy = 'pnpm --filter workflowlookup --prod --config.inject-workspace-packages=true deploy'.split(
  ' ',
);
const vitest = (args) => ['vitest', 'run', ...args];

/** The tasks by name, each with a description and its commands in order. */
const tasks = {
  start: {
    about: 'build, then serve over HTTP on this machine',
    steps: (args) => [build, ['node', 'scripts/start.mjs', ...args]],
  },
  demo: { about: 'build, then what an agent meets', steps: () => [build, ['node', 'scripts/demo.mjs']] },
  build: { about: 'every package and app, into dist/', steps: (args) => [[...build, ...args]] },
  test: {
    about: 'checks, unit and property tests; with arguments, only the vitest files they name',
    steps: (args) => [args.length > 0 ? vitest(args) : gate],
  },
  'test:system': {
    about: 'tests with processes, databases and a browser, and of what is published',
    steps: () => [[...gate, '--system']],
  },
  image: {
    about: 'build, then the command line with what it needs at run time, into a new folder',
    steps: ([folder]) => [build, [...deploy, folder]],
  },
  bundle: {
    about: 'build, then one file for desktop clients (.mcpb), into a folder',
    steps: (args) => [build, ['node', 'scripts/desktop-bundle.mjs', ...args]],
  },
  mutation: {
    about: 'change the code in small ways, and see which no test notices; for hours, or some areas by name',
    steps: (args) => [['node', 'scripts/mutation.mjs', ...args]],
  },
  'test:long': {
    about: 'both with the long form of every suite; for hours',
    steps: () => [
      [...gate, '--long'],
      [...gate, '--system', '--long'],
    ],
  },
  'test:clients': {
    about: 'tests with real clients, which are installed from the registry into node_modules/.cache/clients',
    steps: (args) => [['vitest', 'run', '--config', 'vitest.clients.config.ts', ...args]],
  },
  bench: {
    about: 'build, then the benchmarks',
    steps: (args) => [build, ['node', 'benchmarks/main.mjs', ...args]],
  },
  profile: {
    about: 'build, then where the time of the calls goes that users wait for',
    steps: (args) => [build, ['node', 'benchmarks/profile.mjs', ...args]],
  },
  sizing: {
    about: 'build, then what sessions and replicas take',
    steps: (args) => [build, ['node', 'benchmarks/sizing.mjs', ...args]],
  },
  screenshots: {
    about: 'build, then the pictures of the console in docs/images',
    steps: () => [build, ['node', 'scripts/chromium.mjs'], ['node', 'scripts/screenshots.mjs']],
  },
  pages: {
    about: 'build, then how long each page of the console takes with 10,000 sessions',
    steps: (args) => [
      build,
      ['node', 'scripts/chromium.mjs'],
      ['node', 'benchmarks/console-pages.mjs', ...args],
    ],
  },
  recording: {
    about: 'build, then the moving picture of the README, docs/images/demo.svg',
    steps: () => [build, ['node', 'scripts/recording.mjs']],
  },
  vitest: { about: 'vitest files by name, nothing built', steps: (args) => [vitest(args)] },
  lint: {
    about: 'oxlint, with types',
    steps: (args) => [['oxlint', '--type-aware', '--deny-warnings', ...args]],
  },
  types: {
    about: 'a type check of the whole tree: what runs in Node, and what runs in a browser',
    steps: () => [
      ['tsc', '-p', 'tsconfig.json'],
      ['tsc', '-p', 'apps/console'],
    ],
  },
  format: { about: 'lay out every file', steps: (args) => [['oxfmt', ...args]] },
  api: {
    about: 'build, then rewrite the checked-in API reports',
    steps: (args) => [build, ['node', 'scripts/checks/api-reports.mjs', '--update', ...args]],
  },
  version: { about: 'take the changesets into versions', steps: () => [['node', 'scripts/version.mjs']] },
  publish: {
    about: 'build, then publish what has a new version',
    steps: () => [build, ['changeset', 'publish']],
  },
  catalogue: {
    about: 'rewrite the catalogue of the bundled workflows',
    steps: () => [
      ['node', 'scripts/catalogue.mjs'],
      ['oxfmt', 'workflows/catalogue.json'],
    ],
  },
  changeset: { about: 'describe a change for its users', steps: (args) => [['changeset', ...args]] },
};

const [name, ...args] = process.argv.slice(2);
const task = Object.hasOwn(tasks, name ?? '') ? tasks[name] : undefined;
if (task === undefined) {
  const list = Object.entries(tasks).map(([key, { about }]) => `  ${key.padEnd(12)} ${about}`);
  console.error(`Usage: node scripts/run.mjs <task> [arguments]\n${list.join('\n')}`);
  process.exit(2);
}

const env = prepare();
for (const step of [['node', 'scripts/generate.mjs'], ...task.steps(args)]) {
  const code = await foreground(step, { env }).ended;
  if (code !== 0) process.exit(code);
}
