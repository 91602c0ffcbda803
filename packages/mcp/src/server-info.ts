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

/** Returns the instructions that tell a model how to use these tools together: one way, in fewer than 250 tokens. */
export function instructionsFor(tools: readonly Pick<Tool, 'name'>[]): string {
  const names = new Set(tools.map(({ name }) => name));
  const [hasSessions, hasLookup] = [names.has('start_session'), names.has('workflow_next')];
  return [
    messages.commonInstructions(),
    ...(hasSessions ? [messages.sessionInstructions()] : []),
    ...(hasLookup ? [hasSessions ? messages.lookupBesideSessions() : messages.stepInstructions()] : []),
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
