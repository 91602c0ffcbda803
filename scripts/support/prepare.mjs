// Prepares the workspace for a task: checks the Node version, provides the pinned pnpm and installs dependencies.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cache, packageFolders, readManifest, root } from './workspace.mjs';

const manifest = readManifest('.');
const shell = process.platform === 'win32';

/** Prepares the workspace and changes to its root. Returns the environment for the commands of the task. */
export function prepare() {
  process.chdir(root);
  checkNode(manifest.engines.node);
  const env = environment();
  install(env);
  return env;
}

/** Returns an environment with the tools of the workspace and the pinned pnpm on PATH, and with telemetry off. */
function environment() {
  const path = [join(root, 'node_modules/.bin'), pnpmFolder(manifest.packageManager), process.env.PATH];
  const rest = Object.entries(process.env).filter(([name]) => name.toUpperCase() !== 'PATH');
  const quiet = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };
  return { ...Object.fromEntries(rest), ...quiet, PATH: path.join(delimiter) };
}

function checkNode(range) {
  const wanted = range.replace('>=', '').split('.').map(Number);
  const found = process.versions.node.split('.').map(Number);
  const difference = wanted.map((part, at) => found[at] - part).find((part) => part !== 0) ?? 0;
  if (difference < 0)
    stop(`This is Node ${process.versions.node}. Install Node ${wanted.join('.')} or a newer version.`);
}

/** Returns the folder with the pinned pnpm. npx fetches it once, and the folder is cached. */
function pnpmFolder(pin) {
  const memo = join(cache, `${pin}.path`);
  const known = existsSync(memo) ? readFileSync(memo, 'utf8') : '';
  if (known !== '' && holdsPnpm(known)) return known;
  say(`fetching ${pin}`);
  const args = ['--yes', '-p', pin, '-c', shell ? 'echo %PATH%' : 'printenv PATH'];
  const options = { encoding: 'utf8', shell, stdio: ['ignore', 'pipe', 'inherit'] };
  const { status, stdout } = spawnSync('npx', args, options);
  const folder = stdout?.trim().split(delimiter).find(holdsPnpm);
  if (status !== 0 || folder === undefined) {
    stop(`${pin} could not be fetched. Is the package registry reachable?`);
  }
  remember(memo, folder);
  return folder;
}

function holdsPnpm(folder) {
  return existsSync(join(folder, shell ? 'pnpm.cmd' : 'pnpm'));
}

/**
 * Installs dependencies if the lock file or a manifest changed. The stamp is in node_modules, so it is deleted with it.
 */
function install(env) {
  const stamp = join(cache, 'installed');
  const digest = createHash('sha256');
  const manifests = ['.', ...packageFolders()].map((folder) => join(folder, 'package.json'));
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]) {
    digest.update(file).update(readFileSync(join(root, file)));
  }
  const wanted = digest.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  say('installing dependencies');
  const args = ['install', '--frozen-lockfile', '--reporter=append-only', '--loglevel=error'];
  const { status } = spawnSync('pnpm', args, { env, shell, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) {
    stop(
      'The dependencies could not be installed. Is the package registry reachable, and the lock file current?',
    );
  }
  remember(stamp, wanted);
}

function remember(file, text) {
  mkdirSync(cache, { recursive: true });
  writeFileSync(file, text);
}

function say(text) {
  console.error(`run: ${text}`);
}

function stop(text) {
  say(text);
  process.exit(1);
}
