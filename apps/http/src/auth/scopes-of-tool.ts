import type { Scope } from '@workflowlookup/host';
import type { Tool } from '@workflowlookup/mcp';

/** Tools by which a person answers: the right to do so is enough for them. */
const answering: ReadonlySet<string> = new Set(['present_checkpoint', 'respond_checkpoint']);

/** Whether a credential of these scopes may call a tool. Every request takes `read` besides. */
export function mayCall({ name, annotations }: Tool, scopes: ReadonlySet<Scope>): boolean {
  if (annotations.readOnlyHint || scopes.has('write')) return true;
  return answering.has(name) && scopes.has('checkpoints:respond');
}
