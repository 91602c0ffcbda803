import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tools } from '@workflowlookup/mcp';
import { expect } from 'vitest';
import { bakeryFiles } from '../../../../packages/mcp/test/support/bakery.ts';

type Arguments = Record<string, unknown>;

/** The part of an MCP client that these checks use. */
export interface ToolClient {
  listTools(): Promise<unknown>;
  callTool(call: { name: string; arguments: Arguments }): Promise<unknown>;
}

/** The result of a tool call. */
interface Called {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
  readonly _meta?: { readonly session_token?: unknown };
}

/** The calls of the tools, in an order in which each succeeds, with a text that its answer contains. */
const withoutToken: readonly (readonly [name: string, args: Arguments, says: string])[] = [
  ['workflow_list', {}, '"id":"bakery"'],
  ['workflow_get', { id: 'review-flow' }, '"totalSteps":2'],
  ['workflow_next', { workflowId: 'review-flow', completedSteps: ['read-it'] }, '"id":"report"'],
  ['workflow_validate', { workflowId: 'review-flow', stepId: 'read-it', output: 'Read' }, '"valid":true'],
  ['workflow_validate_json', { workflowJson: '{' }, '"valid":false'],
  ['health_check', {}, 'healthy'],
  ['discover', {}, 'start_session'],
  ['list_workflows', {}, 'bakery'],
  ['start_session', { agent_id: 'baker', workflow_id: 'bakery' }, 'session_token'],
];

const withToken: typeof withoutToken = [
  ['get_workflow', {}, 'Bakery'],
  ['next_activity', {}, '"activity_id":"mix"'],
  ['get_activity', {}, 'Mix the dough'],
  ['get_skills', {}, 'Bakes bread'],
  ['get_skill', { step_id: 'weigh' }, 'Bakes bread'],
  ['get_resource', { resource_id: 'ovens' }, 'stone'],
  ['resolve_operations', { operations: ['baking::preheat'] }, 'Heat the oven'],
  ['yield_checkpoint', { checkpoint_id: 'bake-now' }, 'bake-now'],
  ['present_checkpoint', {}, 'Bake with rye?'],
  ['respond_checkpoint', { option_id: 'yes' }, 'yes'],
  ['resume_checkpoint', {}, 'resumed'],
  ['get_workflow_status', {}, 'mix'],
  ['get_trace', {}, 'respond_checkpoint'],
  ['park', { reason: 'The flour is missing.' }, 'parked'],
];

/** Writes the workflow of these calls to a folder of definitions. */
export function writeBakery(definitions: string): void {
  for (const [path, value] of Object.entries(bakeryFiles)) {
    const file = join(definitions, 'bakery', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(value));
  }
}

/** Expects that a client lists every tool, and that a call of each tool succeeds. */
export async function expectEveryTool(client: ToolClient): Promise<void> {
  const listed = (await client.listTools()) as { tools: readonly { name: string }[] };
  expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  let token: unknown;
  const called: string[] = [];
  for (const [name, args, says] of [...withoutToken, ...withToken]) {
    const shown = called.length < withoutToken.length ? args : { session_token: token, ...args };
    const answer = (await client.callTool({ name, arguments: shown })) as Called;
    const text = answer.content.map((block) => block.text).join('\n');
    expect([name, answer.isError ?? false, text]).toEqual([name, false, expect.stringContaining(says)]);
    token = answer['_meta']?.session_token ?? token;
    called.push(name);
  }
  // This call is refused: no step asks for evidence, and a server with sign-in runs no commands.
  const collected = (await client.callTool({
    name: 'collect_evidence',
    arguments: { session_token: token },
  })) as Called;
  expect(collected.content.map(({ text }) => text).join('')).toContain('evidence');
  called.push('collect_evidence');
  expect(called.toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
}
