import type { Navigator } from './navigator.ts';
import type { SessionState } from './session-state.ts';

/** How a workflow as it is served now differs from the one a session runs on; `undefined` where it does not. */
export function driftOf(
  { workflowId, version, digest }: Pick<SessionState, 'workflowId' | 'version' | 'digest'>,
  served: Pick<Navigator['workflow'], 'version' | 'digest'> | undefined,
): string | undefined {
  const goesOn = `this session goes on with ${version}, on which it was started`;
  if (served === undefined) return `Workflow '${workflowId}' is no longer served; ${goesOn}.`;
  if (served.version !== version) return `Workflow '${workflowId}' is at ${served.version} now; ${goesOn}.`;
  return served.digest === digest
    ? undefined
    : `The definition of workflow '${workflowId}' was changed without a change of its version; ${goesOn} before the change.`;
}
