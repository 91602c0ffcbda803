import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @typedef {{ name: string, bytes: number, isOurs: boolean, isNative: boolean }} Part */

/**
 * Returns every package of an installed app. The app and our own packages have the size of their packed files. All
 * others have their size in node_modules, and so do their dependencies.
 *
 * @param {string} folder of the app, relative to the root
 * @returns {Part[]}
 */
export function packedSize(folder) {
  const parts = new Map();
  visit(realpathSync(join(root, folder)), parts);
  return [...parts.values()];
}

function visit(folder, parts) {
  if (parts.has(folder)) return;
  const manifest = readManifest(folder);
  parts.set(folder, isOurs(folder) ? packedPart(folder, manifest) : installedPart(folder, manifest));
  const { dependencies = {}, optionalDependencies = {} } = manifest;
  for (const name of Object.keys(dependencies)) visit(resolve(folder, name), parts);
  for (const name of Object.keys(optionalDependencies)) {
    const installed = find(folder, name);
    if (installed !== undefined) visit(installed, parts);
  }
}

/** A package of the workspace is outside node_modules, and its size is that of its packed files. */
function isOurs(folder) {
  return !folder.includes('node_modules');
}

function packedPart(folder, { name }) {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ unpackedSize, files }] = JSON.parse(output);
  return { name, bytes: unpackedSize, isOurs: true, isNative: files.some(({ path }) => isNativeFile(path)) };
}

function installedPart(folder, { name, gypfile }) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  const isNative = gypfile === true || files.some((entry) => isNativeFile(entry.name));
  return { name, bytes, isOurs: false, isNative };
}

function isNativeFile(path) {
  return path.endsWith('.node') || path.endsWith('binding.gyp');
}

function resolve(folder, name) {
  const found = find(folder, name);
  if (found === undefined) throw new Error(`${name}, a dependency of ${folder}, is not installed`);
  return found;
}

/** Finds the folder of a dependency like Node does: in each node_modules from the package upwards. */
function find(folder, name) {
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(at, 'node_modules', name);
    if (existsSync(candidate)) return realpathSync(candidate);
    if (at === dirname(at)) return undefined;
  }
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
