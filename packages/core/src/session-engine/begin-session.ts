import { hiddenCharactersIn, WorkflowError, writeOutHidden } from '@workflowlookup/schema';
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
  refuseHiddenName(request.agentId);
  const startMs = nowOf(parts);
  const vault = await parts.vault();
  const { state, sealed, warnings, payload, ...how } = await arrive(parts, request);
  const { sid } = state;
  parts.onSession?.(sid);
  const number = await vault.store.joinAgent(sid, request.agentId);
  await vault.store.resetDelivered(sid, number);
  const { runnable } = await pinnedDefinition(parts, vault.store, {
    ...state,
    ...(sealed !== undefined && { sealed }),
  });
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

// What Unicode lists as confusable with a colon, without the marks that belong to letters of their script.
const colons = /[\u02D0\u02F8\u0589\u05C3\u0703\u0704\u16EC\u1803\u1809\u205A\u2236\uA4FD\uA789\uFE30]/g;

/**
 * The trace names a person `human:` and their name; an agent with such a name would look like one. Too many signs look like
 * a colon for a list of them, and too many letters like those of `human`: so after `human` only letters, digits and `-`
 * may come, and all that stands before a colon has to be ASCII.
 */
function refuseReservedName(agentId: string): void {
  const read = agentId
    .replaceAll(colons, ':')
    .normalize('NFKC')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\s]/gu, '');
  const [prefix = '', ...rest] = read.split(':');
  const isPlain = rest.length === 0 || /^\p{ASCII}*$/u.test(prefix);
  if (isPlain && !/^human[^\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{Nd}-]/iu.test(read)) return;
  throw new WorkflowError(
    'INVALID_PARAMS',
    `agent_id '${writeOutHidden(agentId)}' is refused: names that begin with 'human:' are those of people. Only letters, digits and '-' can follow 'human', and before a colon only ASCII characters are allowed, because other characters can look like those. Call start_session with another agent_id, for example 'worker-1'.`,
    { data: { field: 'agent_id', reason: 'reserved-name' } },
  );
}

/** People read the name of an agent on one line, beside the names of people. */
function refuseHiddenName(agentId: string): void {
  const [found] = [
    ...hiddenCharactersIn(agentId).map(({ char }) => char),
    ...(agentId.match(/[\t\r\n]/) ?? []),
  ];
  if (found === undefined) return;
  const character = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  throw new WorkflowError(
    'INVALID_PARAMS',
    `agent_id contains ${character}, a character that nobody can see or that breaks the line. Call start_session with an agent_id without it.`,
    { data: { field: 'agent_id', reason: 'hidden-character', character } },
  );
}
