import type { Check } from './check.ts';
import { fine, problem } from './check.ts';

/** The least version that every package asks for. */
export const least = '20.19';

/** Whether this Node.js is one the program is made for. */
export function checkNode(version: string = process.versions.node): Check {
  if (isAtLeast(version)) return fine('node', `Node.js ${version}`);
  return problem('node', `Node.js ${version} is too old`, `Install Node.js ${least} or later.`);
}

function isAtLeast(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
