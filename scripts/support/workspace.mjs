// The packages of the workspace, read from pnpm-workspace.yaml without any dependency.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the workspace. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The folder for data that scripts keep between runs. It is in node_modules, so it is deleted with it. */
export const cache = join(root, 'node_modules/.cache/workflowlookup');

/** The report of the unit tests at the root. */
export const rootReport = join(cache, 'vitest-root.json');

/**
 * Returns the file with the results of a package in a run of vitest for several packages.
 *
 * @param {string} hash the hash that turbo has for the tests of the package; `all` for the results of all packages
 */
export function jointReport(hash) {
  return join(cache, 'joint-tests', `${hash}.json`);
}

/** Returns the file with the last results of a package. */
export function packageReport(folder) {
  return join(root, folder, '.cache/tests.json');
}

/** Returns the unit tests in a folder, which are all tests but the system tests. Their paths are relative to the root. */
export function unitTests(folder) {
  // The option `recursive` of `readdirSync` would follow the links in `node_modules`.
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : unitTests(path);
    return /(?<!\.system)\.test\.ts$/.test(entry.name) ? [path] : [];
  });
}

/** Returns the folders of packages, relative to the root. It supports the patterns `folder` and `folder/*`. */
export function packageFolders() {
  const [, patterns] = /^packages:\n((?: {2}- .+\n)+)/m.exec(
    readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'),
  );
  const folders = [...patterns.matchAll(/- (.+)/g)].flatMap(([, pattern]) => {
    const parent = pattern.replace(/\/\*$/, '');
    if (parent === pattern) return [pattern];
    return existsSync(join(root, parent))
      ? readdirSync(join(root, parent)).map((name) => `${parent}/${name}`)
      : [];
  });
  return folders
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .toSorted((a, b) => a.localeCompare(b));
}

/** Returns the folder and the manifest of every package that is published. */
export function publicPackages() {
  const packages = packageFolders().map((folder) => ({ folder, manifest: readManifest(folder) }));
  return packages.filter(({ manifest }) => manifest.private !== true);
}

/** Returns the package.json of a folder of the workspace. */
export function readManifest(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}
