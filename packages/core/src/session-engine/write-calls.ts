import { sealTraceToken } from '../tokens/trace-token.ts';
import type { SessionCommand } from '../session/command.ts';
import type { SessionEventOf } from '../session/evolve.ts';
import { policyFor } from '../session/policy.ts';
import type { AnswerOrigin } from '../session/session-event.ts';
import type { Values } from '../session/variables.ts';
import type { Outcome } from './call-session.ts';
import type { Carried } from './carry-out.ts';
import { carryOut } from './carry-out.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';
import { conflict } from './refusals.ts';
import type { Answered, AnswerRequest, Moved, MoveRequest, Yielded } from './sessions.ts';

/** Carries out what an agent asks for. @throws WorkflowError SESSION_CONFLICT where another write came first */
async function write(parts: SessionParts, session: OpenSession, command: SessionCommand): Promise<Carried> {
  const carried = await carryOut({ ...parts, principal: parts.caller.principal }, session, command);
  if ('overtaken' in carried) throw conflict(session, carried.overtaken, carried.atMs);
  return carried;
}

/** Moves a session on. */
export async function move(
  parts: SessionParts,
  session: OpenSession,
  request: MoveRequest,
): Promise<Outcome<Moved>> {
  const carried = await write(parts, session, { kind: 'move', ...request, ...credentialOf(parts) });
  const traceToken = sealTraceToken(session.vault.keys, carried.segment);
  return { ...outcomeOf(carried, movedTo(session, carried)), traceToken };
}

function movedTo({ runnable }: OpenSession, { event, state }: Carried): Moved {
  if (event.type !== 'activity-entered') return { status: 'completed', completed: state.completed };
  const { activity } = event;
  return { status: 'active', activity, name: runnable.navigator.place(activity, state).name };
}

/** Stops a session at a checkpoint. */
export async function yieldAt(
  parts: SessionParts,
  session: OpenSession,
  { checkpointId, variables }: { readonly checkpointId: string; readonly variables: Values },
): Promise<Outcome<Yielded>> {
  const carried = await write(parts, session, {
    kind: 'yield',
    checkpointId,
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
    ...credentialOf(parts),
  });
  return outcomeOf(carried, { checkpoint: checkpointId });
}

/** Answers the checkpoint a session waits at. */
export async function answer(
  parts: SessionParts,
  session: OpenSession,
  { mode, through = 'call' }: AnswerRequest,
): Promise<Outcome<Answered>> {
  const origin = originOf(parts, session, through);
  const { person } = parts.caller;
  const by = origin.assurance === 'agent' ? 'agent' : 'human';
  const named = by === 'human' && person !== undefined ? { person } : {};
  const carried = await write(parts, session, { kind: 'answer', mode, by, ...named, origin });
  const event = carried.event as SessionEventOf<'checkpoint-answered'>;
  const { checkpoint, answer: given, effect } = event;
  return outcomeOf(carried, { checkpoint, answer: given, ...(effect === undefined ? {} : { effect }) });
}

/**
 * How an answer came: through a client that is trusted, by a credential that answers as a person, or passed on by the
 * agent. An agent may itself be the client, so what an untrusted one says counts as a call with its credential does.
 */
function originOf(
  parts: SessionParts,
  { state }: OpenSession,
  through: NonNullable<AnswerRequest['through']>,
): AnswerOrigin {
  const { principal, mayRespond } = parts.caller;
  const isTrusted = through === 'elicitation' && policyFor(state, parts.policy).trustElicitation;
  const ofCredential = mayRespond === true ? 'account' : 'agent';
  return {
    channel: through === 'call' ? 'tool' : 'elicitation',
    principal,
    ...credentialOf(parts),
    assurance: isTrusted ? 'client' : ofCredential,
  };
}

function credentialOf({ caller: { credential } }: SessionParts): { readonly credential?: string } {
  return credential === undefined ? {} : { credential };
}

function outcomeOf<Value>({ state, warnings, atMs }: Carried, value: Value): Outcome<Value> {
  return { value, state, warnings, atMs };
}
