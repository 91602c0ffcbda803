import manifest from '../../package.json' with { type: 'json' };
import type { Check } from './check.ts';
import { fine, problem } from './check.ts';

/** Whether this Node.js is one the program is made for. */
export function checkNode(version: string = process.versions.node): Check {
  const least = manifest.engines.node.replace('>=', '');
  if (isAtLeast(version, least)) return fine('node', `Node.js ${version}`);
  return problem('node', `Node.js ${version} is too old`, `Install Node.js ${least} or later.`);
}

function isAtLeast(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
