import { discover } from './discover.ts';
import { getActivity } from './get-activity.ts';
import { getResource } from './get-resource.ts';
import { getSkill } from './get-skill.ts';
import { getSkills } from './get-skills.ts';
import { getTrace } from './get-trace.ts';
import { getWorkflowStatus } from './get-workflow-status.ts';
import { getWorkflow } from './get-workflow.ts';
import { healthCheck } from './health-check.ts';
import { listWorkflows } from './list-workflows.ts';
import { nextActivity } from './next-activity.ts';
import { presentCheckpoint } from './present-checkpoint.ts';
import { resolveOperations } from './resolve-operations.ts';
import { respondCheckpoint } from './respond-checkpoint.ts';
import { resumeCheckpoint } from './resume-checkpoint.ts';
import { startSession } from './start-session.ts';
import type { Tool } from './tool.ts';
import { workflowGet } from './workflow-get.ts';
import { workflowList } from './workflow-list.ts';
import { workflowNext } from './workflow-next.ts';
import { workflowValidateJson } from './workflow-validate-json.ts';
import { workflowValidate } from './workflow-validate.ts';
import { yieldCheckpoint } from './yield-checkpoint.ts';

/** The tools that keep no state. */
export const lookupTools: readonly Tool[] = [
  workflowList,
  workflowGet,
  workflowNext,
  workflowValidate,
  workflowValidateJson,
];

/** The tools of sessions. */
export const sessionTools: readonly Tool[] = [
  discover,
  listWorkflows,
  startSession,
  getWorkflowStatus,
  getWorkflow,
  nextActivity,
  getActivity,
  yieldCheckpoint,
  resumeCheckpoint,
  presentCheckpoint,
  respondCheckpoint,
  getSkills,
  getSkill,
  getResource,
  resolveOperations,
  getTrace,
  healthCheck,
];

/** Every tool, in the order `tools/list` shows them. */
export const tools: readonly Tool[] = [...lookupTools, ...sessionTools];
