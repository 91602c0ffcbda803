/** The oldest Node.js that the programs run on. */
export const oldestNode = '20.19';

/**
 * Says what is wrong with a version of Node.js; `undefined` where the programs run on it. Every program asks before it
 * loads anything else, because older versions fail in the middle with an error that names no version.
 *
 * @example nodeProblem('18.20.0') // "Node.js 18.20.0 is too old. Install Node.js 20.19 or later."
 */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split('.').map(Number);
  const isEnough = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return isEnough ? undefined : `Node.js ${version} is too old. Install Node.js ${oldestNode} or later.`;
}
