import { WorkflowError } from '@workflowlookup/schema';
import { pinnedDefinition } from './definitions.ts';
import { nowOf } from './clock.ts';
import { definitionOf } from './present.ts';
import type { SessionParts } from './parts.ts';
import { sealToken } from './seal-token.ts';
import type { Reply, Started, StartRequest } from './sessions.ts';
import { arrive } from './take-up.ts';
import { recordCall } from './trace.ts';

/** Starts or takes up a session: the agent joins it, and is sent every bundle again. */
export async function beginSession(parts: SessionParts, request: StartRequest): Promise<Reply<Started>> {
  refuseReservedName(request.agentId);
  const startMs = nowOf(parts);
  const vault = await parts.vault();
  const { state, warnings, payload, ...how } = await arrive(parts, request);
  const { sid } = state;
  parts.onSession?.(sid);
  const number = await vault.store.joinAgent(sid, request.agentId);
  await vault.store.resetDelivered(sid, number);
  const { runnable } = await pinnedDefinition(parts, vault.store, state);
  const { id, version, title } = runnable.navigator.workflow;
  const { description } = runnable.workflow.definition;
  const nowMs = nowOf(parts);
  await recordCall(parts, {
    kind: 'start',
    vault,
    state,
    agentId: request.agentId,
    startMs,
    endMs: nowMs,
    warnings,
  });
  const agent = { number, id: request.agentId };
  return {
    value: {
      sid,
      workflow: {
        id,
        version,
        title,
        ...(description === undefined ? {} : { description }),
        ...definitionOf(state),
      },
      ...how,
      ...(warnings.length === 0 ? {} : { warning: warnings.join(' ') }),
    },
    token: sealToken({ vault, state, agent, nowMs, before: payload }),
    warnings,
  };
}

/** The trace names a person `human:` and their name; an agent with such a name would look like one. */
function refuseReservedName(agentId: string): void {
  const read = agentId.normalize('NFKC').replaceAll(/[\p{Default_Ignorable_Code_Point}\s]/gu, '');
  if (!/^human:/i.test(read)) return;
  throw new WorkflowError(
    'INVALID_PARAMS',
    `agent_id '${agentId}' is refused: names that begin with 'human:' are those of people. Call start_session with another agent_id.`,
    { data: { field: 'agent_id', reason: 'reserved-name' } },
  );
}
