import { WorkflowError } from '@workflowlookup/schema';
import type { ExecutedCommand } from '../session-engine/execute-command.ts';
import { executeCommand } from '../session-engine/execute-command.ts';
import type { RunnableSession } from '../session-engine/open-session.ts';
import { eventOf } from '../session-engine/open-session.ts';
import { nowOf } from '../session-engine/parts.ts';
import { present } from '../session-engine/present.ts';
import type { Answered } from '../session-engine/sessions.ts';
import { traced } from '../session-engine/trace.ts';
import type { SessionCommand } from '../session/command.ts';
import type { SessionEventOf } from '../session/evolve.ts';
import type { AnswerOrigin, SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import type { OperatorParts } from './load-session.ts';
import { loadRunnableSession } from './load-session.ts';
import type { HumanAnswer, Question, WriteReceipt } from './operator.ts';
import { messages } from '../messages.ts';

/** Returns the open checkpoint of a session. @throws WorkflowError INVALID_STATE if none is open */
export async function ask(parts: OperatorParts, sid: string): Promise<Question> {
  const run = await loadRunnableSession(parts, sid);
  const { revision, workflowId } = run.state;
  return { sid, workflowId, revision, ...present(parts, run) };
}

/** Answers the checkpoint a session waits at, or gives the answer again that was given. */
export async function respond(
  parts: OperatorParts,
  sid: string,
  { mode, note, revision }: HumanAnswer,
): Promise<Answered & WriteReceipt> {
  const run = await loadRunnableSession(parts, sid);
  const seen = { revision: revision ?? (await questionIn(run)) };
  const carried = await writeAsPerson(
    parts,
    { ...run, seen },
    {
      kind: 'answer',
      mode,
      by: 'human',
      person: parts.person,
      ...(note === undefined ? {} : { note }),
      origin: originOf(parts),
    },
  );
  const { checkpoint, answer, effect } = carried.event as SessionEventOf<'checkpoint-answered'>;
  return {
    checkpoint,
    answer,
    ...(effect === undefined ? {} : { effect }),
    revision: carried.state.revision,
    at: new Date(carried.atMs).toISOString(),
  };
}

/** Returns the origin of a write: a person who signed in, or the user of this machine. */
function originOf({ channel = 'library', principal, credential }: OperatorParts): AnswerOrigin {
  return {
    channel,
    ...(principal === undefined ? {} : { principal }),
    ...(credential === undefined ? {} : { credential }),
    assurance: 'account',
  };
}

/**
 * Returns the revision of the open question or, if none is open, of the last one, so that its answer can be repeated.
 */
async function questionIn({ vault: { store }, state }: RunnableSession): Promise<number> {
  if (state.gate !== undefined || state.lastAnswer === undefined) return state.revision;
  const events = await store.events(state.sid);
  return events.findLast(({ type }) => type === 'checkpoint-yielded')?.revision ?? state.revision;
}

/** Ends a session at its current activity. Repeating the call gives the same result. */
export async function abandon(parts: OperatorParts, sid: string): Promise<WriteReceipt> {
  const run = await loadRunnableSession(parts, sid);
  const { revision, outcome } = run.state;
  const seen = { revision: outcome === undefined ? revision : revision - 1 };
  const carried = await writeAsPerson(parts, { ...run, seen }, { kind: 'abandon', person: parts.person });
  return { revision: carried.state.revision, at: new Date(carried.atMs).toISOString() };
}

type PersonCommand = Extract<SessionCommand, { kind: 'answer' | 'abandon' }>;

/** Carries out a person's command and records it in the trace, even if it fails. */
async function writeAsPerson(
  parts: OperatorParts,
  run: RunnableSession,
  deed: PersonCommand,
): Promise<ExecutedCommand> {
  const { vault, state, agent } = run;
  const call = { kind: deed.kind, vault, state, agentId: agent.id, startMs: nowOf(parts) };
  return traced(parts, call, async () => {
    const carried = await executeCommand(parts, run, deed);
    if ('overtaken' in carried) throw await overtakenError(run, carried.overtaken);
    return carried;
  });
}

async function overtakenError({ vault, seen }: RunnableSession, state: SessionState): Promise<WorkflowError> {
  const [kept] = await vault.store.events(state.sid, { after: seen.revision, limit: 1 });
  const what = kept === undefined ? 'moved on' : describeEvent(eventOf(kept));
  return new WorkflowError('SESSION_CONFLICT', messages.changedMeanwhile(what, state.revision), {
    data: { sid: state.sid, revision: state.revision },
  });
}

function describeEvent(event: SessionEvent): string {
  if (event.type !== 'checkpoint-answered') return 'moved on';
  const { checkpoint, answer, by, person } = event;
  const said = answer.kind === 'dismissed' ? 'dismissed' : `answered with '${answer.option}'`;
  return `had checkpoint '${checkpoint}' ${said} by ${person ?? (by === 'agent' ? 'the agent' : 'a person')}`;
}
