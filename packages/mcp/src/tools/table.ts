import type { Tool } from '../tool-support/tool.ts';
import {
  presentCheckpoint,
  respondCheckpoint,
  resumeCheckpoint,
  yieldCheckpoint,
} from './checkpoint-tools.ts';
import {
  workflowGet,
  workflowList,
  workflowNext,
  workflowValidate,
  workflowValidateJson,
} from './lookup-tools.ts';
import { collectEvidence, getTrace, getWorkflowStatus, nextActivity, park } from './progress-tools.ts';
import {
  getActivity,
  getResource,
  getSkill,
  getSkills,
  getWorkflow,
  resolveOperations,
} from './read-tools.ts';
import { discover, healthCheck, listWorkflows, startSession } from './start-tools.ts';

/** The tools that work without a session. */
export const lookupTools: readonly Tool[] = [
  workflowList,
  workflowGet,
  workflowNext,
  workflowValidate,
  workflowValidateJson,
];

const sessionTools: readonly Tool[] = [
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

/** The tools of the specifications, in the order `tools/list` shows them. */
const specifiedTools: readonly Tool[] = [...lookupTools, ...sessionTools];

/** Tools that this server adds to those of the specifications. */
const addedTools: readonly Tool[] = [collectEvidence, park];

/** Every tool, in the order `tools/list` shows them. */
export const tools: readonly Tool[] = [...specifiedTools, ...addedTools];

/** The names of the tool sets. */
export const toolSetNames = ['lookup', 'sessions', 'all', 'extended'] as const;

/** The name of a tool set. */
export type ToolSetName = (typeof toolSetNames)[number];

/**
 * Returns the tools of a set, in the order `tools/list` shows them. `all` has exactly the tools of the specifications,
 * and `extended` also those that this server adds.
 *
 * @example
 *   serveStdio({ ...options, tools: toolSet('lookup') });
 */
export function toolSet(name: ToolSetName): readonly Tool[] {
  return { lookup: lookupTools, sessions: sessionTools, all: specifiedTools, extended: tools }[name];
}
