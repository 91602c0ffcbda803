// `node scripts/run.mjs <task> [arguments]` prepares the workspace and runs a task. Only Node and npm must be installed.
import { foreground } from './support/foreground.mjs';
import { prepare } from './support/prepare.mjs';

const build = ['turbo', 'run', 'build', '--output-logs=errors-only'];
const cleanBuild = [['node', 'scripts/remove-built.mjs'], build];
const gate = ['node', 'scripts/gate.mjs'];
// If the packages of the workspace were linked, `deploy` would ignore the lock file.
const deploy = 'pnpm --filter workflowlookup --prod --config.inject-workspace-packages=true deploy'.split(
  ' ',
);
const vitest = (args) => ['vitest', 'run', ...args];

/** The tasks by name, each with a description, which continues the sentence "This task …", and its commands in order. */
const tasks = {
  start: {
    about: 'builds, then starts the HTTP server on this machine',
    steps: (args) => [build, ['node', 'scripts/start.mjs', ...args]],
  },
  demo: {
    about:
      "shows what an agent sees: a complete workflow, and a session in which the server doesn't let the agent skip a step",
    steps: () => [build, ['node', 'scripts/demo.mjs']],
  },
  build: { about: 'builds every package and app into its dist/', steps: (args) => [[...build, ...args]] },
  test: {
    about:
      'runs the checks, unit tests and property tests; or only the tests whose path contains the given text',
    steps: (args) => [args.length > 0 ? vitest(args) : gate],
  },
  'test:system': {
    about:
      'builds, then runs the slower tests, with servers, databases and a browser; also checks the packages to publish',
    steps: () => [[...gate, '--system']],
  },
  image: {
    about: 'copies the command-line program and its run-time dependencies to the given new folder',
    steps: ([folder]) => [...cleanBuild, [...deploy, folder]],
  },
  bundle: {
    about: 'builds the bundle for desktop clients (.mcpb), in the given folder',
    steps: (args) => [...cleanBuild, ['node', 'scripts/desktop-bundle.mjs', ...args]],
  },
  mutation: {
    about:
      'makes small changes to the code of the given areas (conditions, validation, decisions, tokens, readers), and lists those that no test notices; takes hours for all areas',
    steps: (args) => [['node', 'scripts/mutation.mjs', ...args]],
  },
  'test:long': {
    about: 'runs all tests, with more random cases and longer runs; takes hours',
    steps: () => [
      [...gate, '--long'],
      [...gate, '--system', '--long'],
    ],
  },
  'test:clients': {
    about:
      'runs Claude Code, Codex, Gemini CLI and OpenCode with a scripted model; installs them into node_modules/.cache/clients',
    steps: (args) => [['vitest', 'run', '--config', 'vitest.clients.config.ts', ...args]],
  },
  bench: {
    about: 'runs the benchmarks, which measure what the server costs in time, memory, tokens and disk space',
    steps: (args) => [...cleanBuild, ['node', 'benchmarks/main.mjs', ...args]],
  },
  profile: {
    about:
      'shows how long each function takes during the given call: cold-start, workflow_next, next_activity or http (default: all)',
    steps: (args) => [build, ['node', 'benchmarks/profile.mjs', ...args]],
  },
  sizing: {
    about: 'measures the disk space, memory and database connections that a deployment needs',
    steps: (args) => [build, ['node', 'benchmarks/sizing.mjs', ...args]],
  },
  screenshots: {
    about: 'retakes the screenshots of the console in docs/images',
    steps: () => [build, ['node', 'scripts/chromium.mjs'], ['node', 'scripts/screenshots.mjs']],
  },
  pages: {
    about:
      'measures how long each page of the console takes to load, with 10,000 sessions and 1,000 waiting checkpoints',
    steps: (args) => [
      build,
      ['node', 'scripts/chromium.mjs'],
      ['node', 'benchmarks/console-pages.mjs', ...args],
    ],
  },
  recording: {
    about: 're-records the animation in the README (docs/images/demo.svg)',
    steps: () => [build, ['node', 'scripts/recording.mjs']],
  },
  vitest: {
    about: 'runs the tests whose path contains the given text, also those of test:system, without a build',
    steps: (args) => [vitest(args)],
  },
  lint: {
    about: 'runs oxlint, with type information',
    steps: (args) => [['oxlint', '--type-aware', ...args]],
  },
  types: {
    about: 'checks the types of the whole repository',
    steps: () => [
      ['tsc', '-p', 'tsconfig.json'],
      ['tsc', '-p', 'apps/console'],
    ],
  },
  format: { about: 'formats all files', steps: (args) => [['oxfmt', ...args]] },
  api: {
    about: 'regenerates the reports of the public API',
    steps: (args) => [build, ['node', 'scripts/checks/api-reports.mjs', '--update', ...args]],
  },
  version: {
    about: 'applies the changesets to the versions and changelogs',
    steps: () => [['node', 'scripts/version.mjs']],
  },
  publish: {
    about: 'builds, then publishes the packages that have a new version',
    steps: () => [...cleanBuild, ['changeset', 'publish']],
  },
  catalogue: {
    about: 'regenerates the list of the bundled workflows',
    steps: () => [
      ['node', 'scripts/catalogue.mjs'],
      ['oxfmt', 'workflows/catalogue.json'],
    ],
  },
  changeset: {
    about: 'asks for a description of your change, for the users of the packages',
    steps: (args) => [['changeset', ...args]],
  },
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
