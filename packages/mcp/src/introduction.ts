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

/** What a model should know of the tools together; at most 1 KB. */
export const instructions = [
  'This server holds workflows and hands them out one step at a time.',
  'Find one with workflow_list, look at it with workflow_get, then call workflow_next with completedSteps [] and do the step it gives.',
  'When a step is done, judge its output with workflow_validate; mend what it names before you go on.',
  'Then call workflow_next again with every completed id, exactly as it was given (also ids like loop@0::step), and with the variables you learned in context.',
  'Do not skip, reorder or invent steps. Where a step asks for confirmation, ask the user and wait.',
  'The workflow is over when isComplete is true; if steps are named as undecided, set their variables and ask again.',
  'After lost context: call workflow_next with the ids you know are done.',
].join('\n');

/** The result of `initialize` at a legacy revision. */
export function introduce(protocolVersion: string, identity: ServerIdentity): object {
  return { protocolVersion, capabilities, serverInfo: identity, instructions };
}
