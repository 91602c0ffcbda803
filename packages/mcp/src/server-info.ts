import { messages } from './messages.ts';
import type { Tool } from './tool-support/tool.ts';

/** The server's name and version, as clients see them. */
export interface ServerIdentity {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

export function serverIdentity(version: string): ServerIdentity {
  return {
    name: 'workflowlookup',
    title: 'Workflow Lookup',
    version,
    description: 'Gives an agent a workflow one step at a time and checks the output of each step',
  };
}

/** The server's capabilities, as `initialize` and `server/discover` report them. */
export const capabilities = {
  tools: { listChanged: false, notifyProgress: false },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
} as const;

/** Returns the instructions that tell a model how to use these tools together, at most 1 KB long. */
export function instructionsFor(tools: readonly Pick<Tool, 'name'>[]): string {
  const names = new Set(tools.map(({ name }) => name));
  return [
    messages.commonInstructions(),
    ...(names.has('workflow_next') ? [messages.stepInstructions()] : []),
    ...(names.has('start_session') ? [messages.sessionInstructions()] : []),
  ].join('\n');
}

export function initializeResult(
  protocolVersion: string,
  identity: ServerIdentity,
  tools: readonly Tool[],
): object {
  return { protocolVersion, capabilities, serverInfo: identity, instructions: instructionsFor(tools) };
}

/** Returns the result of `tools/list`. */
export function listTools(tools: readonly Tool[]): {
  readonly tools: readonly Omit<Tool, 'run' | 'waits'>[];
} {
  return { tools: tools.map(({ run: _run, waits: _waits, ...shown }) => shown) };
}
