import { nodeProblem } from '@workflowlookup/host/flags';
import type { Check } from './check.ts';
import { fine, problem } from './check.ts';

/** Whether this Node.js is one the program is made for. */
export function checkNode(version: string = process.versions.node): Check {
  const [says, fix] = nodeProblem(version)?.split(/(?<=old)\. /) ?? [];
  return says === undefined || fix === undefined
    ? fine('node', `Node.js ${version}`)
    : problem('node', says, fix);
}
