import { present } from '../session-engine/present.ts';
import type { LoadedRun } from '../session-engine/open-session.ts';
import type { Answered } from '../session-engine/sessions.ts';
import type { SessionEventOf } from '../session/evolve.ts';
import type { AnswerOrigin } from '../session/session-event.ts';
import type { OperatorParts } from './load-run.ts';
import { loadRun } from './load-run.ts';
import type { Question, HumanAnswer, Written } from './operator.ts';
import { writeByHand } from './write-by-hand.ts';

/** The checkpoint a session waits at. @throws WorkflowError STATE where none waits */
export async function ask(parts: OperatorParts, sid: string): Promise<Question> {
  const run = await loadRun(parts, sid);
  const { revision, workflowId } = run.state;
  return { sid, workflowId, revision, ...present(parts, run) };
}

/** Answers the checkpoint a session waits at, or gives the answer again that was given. */
export async function respond(
  parts: OperatorParts,
  sid: string,
  { mode, note, revision }: HumanAnswer,
): Promise<Answered & Written> {
  const run = await loadRun(parts, sid);
  const seen = { revision: revision ?? (await questionIn(run)) };
  const carried = await writeByHand(
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

/** A person who signed in, or the user of this machine. */
function originOf({ channel = 'library', principal, credential }: OperatorParts): AnswerOrigin {
  return {
    channel,
    ...(principal === undefined ? {} : { principal }),
    ...(credential === undefined ? {} : { credential }),
    assurance: 'account',
  };
}

/** The revision of the question that waits; where none waits, of the last one, so that its answer can be told again. */
async function questionIn({ vault: { store }, state }: LoadedRun): Promise<number> {
  if (state.gate !== undefined || state.lastAnswer === undefined) return state.revision;
  const events = await store.events(state.sid);
  return events.findLast(({ type }) => type === 'checkpoint-yielded')?.revision ?? state.revision;
}

/** Ends a session where it stands, or says again that the same person did. */
export async function abandon(parts: OperatorParts, sid: string): Promise<Written> {
  const run = await loadRun(parts, sid);
  const { revision, outcome } = run.state;
  const seen = { revision: outcome === undefined ? revision : revision - 1 };
  const carried = await writeByHand(parts, { ...run, seen }, { kind: 'abandon', person: parts.person });
  return { revision: carried.state.revision, at: new Date(carried.atMs).toISOString() };
}
