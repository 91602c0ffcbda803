import type { Tool } from './tools/tool.ts';

/** Who the server says it is. */
export interface ServerIdentity {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

/** The identity at a version of the package. */
export function identityOf(version: string): ServerIdentity {
  return {
    name: 'workflowlookup',
    title: 'Workflow Lookup',
    version,
    description: 'Hands an agent a workflow one step at a time and checks what the agent made of it',
  };
}

/** What the server can do, as `initialize` and `server/discover` say it. */
export const capabilities = {
  tools: { listChanged: false, notifyProgress: false },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
} as const;

const always =
  'This server holds workflows. Do not skip, reorder or invent steps; where one asks for confirmation, ask the user and wait.';

const withoutSession = [
  'Without a session: find a workflow with workflow_list, call workflow_next with completedSteps [] and do the step it gives. Judge',
  'the output with workflow_validate, then call workflow_next with every completed id exactly as given and what you learned in',
  'context, until isComplete is true. If steps are undecided, set their variables.',
].join(' ');

const withSession = [
  'In a session the server keeps the state: discover tells how to begin, start_session gives a token; each call takes the newest.',
  'next_activity enters an activity, get_activity tells what to do; leave it by next_activity with a step_manifest. At a checkpoint',
  'call yield_checkpoint, then present_checkpoint, ask the user, and respond_checkpoint. After lost context: get_workflow_status.',
].join(' ');

/** What a model should know of the tools together; at most 1 KB. */
export function instructionsFor(tools: readonly Pick<Tool, 'name'>[]): string {
  const names = new Set(tools.map(({ name }) => name));
  return [
    always,
    ...(names.has('workflow_next') ? [withoutSession] : []),
    ...(names.has('start_session') ? [withSession] : []),
  ].join('\n');
}

/** The result of `initialize` at a legacy revision. */
export function introduce(protocolVersion: string, identity: ServerIdentity, tools: readonly Tool[]): object {
  return { protocolVersion, capabilities, serverInfo: identity, instructions: instructionsFor(tools) };
}
