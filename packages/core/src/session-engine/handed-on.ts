import type { Json } from '@workflowlookup/schema';
import type { GatePolicy, Navigator } from '../session/navigator.ts';
import type { Judging } from '../session/open-checkpoints.ts';
import { isPersons } from '../session/open-checkpoints.ts';
import { reservedNames } from '../session/ownership.ts';
import type { VariableOwner } from '../session/session-event.ts';
import type { SessionStart } from '../session/start-session.ts';
import { overlaps } from '../session/variables.ts';
import type { OpenSession } from './open-session.ts';
import { activityPart } from './session-library.ts';

/**
 * The variables that the triggers of the parent's current activity, and of its steps, pass to a child's workflow. What an
 * answer decided in the parent belongs to that checkpoint in the child too, also if it has no value. What only an answer
 * may set in the child is not taken from a parent whose agent could set it, or could give the answer.
 */
export function handedOn(
  { runnable, state }: OpenSession,
  child: Navigator,
  gates: GatePolicy,
): Required<Pick<SessionStart, 'variables' | 'owned'>> {
  if (runnable.kind === 'steps' || state.current === undefined) return { variables: {}, owned: {} };
  const { triggers = [], steps = [] } = activityPart(runnable.workflow, state.current).definition;
  const all = [...triggers, ...steps.flatMap((step) => step.triggers ?? [])];
  const names = all
    .filter(({ workflow }) => workflow === child.workflow.id)
    .flatMap((one) => one.passContext ?? []);
  const reserved = [...reservedNames(child)];
  const variables: Record<string, Json> = {};
  const owned: Record<string, VariableOwner> = {};
  for (const name of names) {
    if (!isKnown(child, name)) continue;
    const value = Object.hasOwn(state.variables, name) ? state.variables[name] : undefined;
    const owner = ownerIn(state, name, { navigator: runnable.navigator, gates });
    const isByPerson = owner !== undefined && owner.approver !== 'any';
    const isDecided = isByPerson && owner.left !== true;
    const isTaken = isDecided || !reserved.some((one) => overlaps(one, name));
    if (isTaken && value !== undefined) variables[name] = value;
    // A person can also decide that a variable stays without a value.
    if (owner !== undefined && (isTaken || isByPerson)) owned[name] = owner;
  }
  return { variables, owned };
}

/**
 * The checkpoint a variable belongs to, of this session or of the one above it; none where an agent that `set_by` allows
 * wrote it since.
 */
function ownerIn(state: OpenSession['state'], name: string, at: Judging): VariableOwner | undefined {
  const { owners, origins, sid } = state;
  if (Object.hasOwn(origins, name) && origins[name]?.by === 'agent') return undefined;
  const owner = Object.hasOwn(owners, name) ? owners[name] : undefined;
  if (owner === undefined || owner.sid !== undefined) return owner;
  const { byItem: _byItem, ...own } = owner;
  return { sid, ...own, approver: isPersons(state, owner, at) ? 'human' : 'any' };
}

/** A workflow that declares variables takes no others. */
function isKnown({ variables }: Navigator, name: string): boolean {
  return variables.length === 0 || variables.some((declared) => declared.name === name);
}
