import type { Enforcement } from '@workflowlookup/schema';
import type { Gate, GatePolicy } from './navigator.ts';
import type { SealedPolicy } from './session-event.ts';
import type { SessionState } from './session-state.ts';

/** What decides how strict a session is. */
export interface DecisionPolicy extends SealedPolicy {
  /** `strict`: a departure from the workflow is refused; `advisory`: the workflow decides. */
  readonly enforcement: Enforcement;
}

/** The strictest of each rule of two policies. */
function strictest(one: DecisionPolicy, other: DecisionPolicy): DecisionPolicy {
  return {
    enforcement: [one.enforcement, other.enforcement].includes('strict') ? 'strict' : 'advisory',
    gates: [one.gates, other.gates].includes('human') ? 'human' : 'declared',
    trustElicitation: one.trustElicitation && other.trustElicitation,
    minResponseMs: Math.max(one.minResponseMs, other.minResponseMs),
  };
}

/**
 * The policy that holds for a session on this server: what was sealed into the session, or what this server asks for
 * where that is stricter. A second server on the same database can't loosen what the first one promised.
 */
export function policyFor(
  { enforcement, policy }: Pick<SessionState, 'enforcement' | 'policy'>,
  server: DecisionPolicy,
): DecisionPolicy {
  return strictest({ ...(policy ?? server), enforcement }, server);
}

/** Whether only a person may answer a checkpoint. */
export function needsHuman(
  { approver }: Pick<Gate, 'approver'>,
  { gates }: { readonly gates: GatePolicy },
): boolean {
  return gates === 'human' || approver === 'human';
}
