import type { Library } from './library.ts';
import { sharedWorkflowId } from './library.ts';

/** Whom a set of operations is for. */
export type Role = 'orchestrator' | 'worker';

/** What every orchestrator and every worker gets where `meta` does not say. */
export const defaultOperations: Readonly<Record<Role, readonly string[]>> = {
  orchestrator: [
    'workflow-engine::run-session',
    'workflow-engine::dispatch-activity',
    'workflow-engine::evaluate-transition',
    'workflow-engine::bubble-checkpoint',
    'workflow-engine::present-checkpoint',
    'workflow-engine::respond-checkpoint',
    'workflow-engine::run-sub-workflow',
    'agent-conduct::orchestrator-discipline',
    'agent-conduct::checkpoint-discipline',
    'agent-conduct::operational-discipline',
  ],
  worker: [
    'workflow-engine::yield-checkpoint',
    'workflow-engine::resume-checkpoint',
    'workflow-engine::write-manifest',
    'workflow-engine::finalize-activity',
    'agent-conduct::checkpoint-discipline',
    'agent-conduct::operational-discipline',
    'agent-conduct::file-sensitivity',
    'agent-conduct::code-commentary',
  ],
};

/** The references everybody in a role gets, whatever the workflow: `operationsFor` of `meta`, else the defaults. */
export function coreOperations(library: Library, role: Role): readonly string[] {
  return library.get(sharedWorkflowId)?.definition.operationsFor?.[role] ?? defaultOperations[role];
}
