import type { Checkpoint } from '@workflowlookup/schema';
import { WorkflowError, defined } from '@workflowlookup/schema';
import { fillTitle } from '../library/texts.ts';
import { messages } from '../messages/sessions.ts';
import type { ExecutedCommand } from '../session-engine/write-calls.ts';
import { executeCommand } from '../session-engine/write-calls.ts';
import type { RunnableSession } from '../session-engine/open-session.ts';
import { eventOf, revisit } from '../session-engine/open-session.ts';
import { presentWithEvidence } from '../session-engine/present.ts';
import type { Answered } from '../session-engine/sessions.ts';
import { traced, nowOf } from '../session-engine/trace.ts';
import type { SessionCommand } from '../session/command.ts';
import { decide, policyFor } from '../session/decide.ts';
import { endKeyword, sessionPosition } from '../session/evaluate-move.ts';
import type { SessionEventOf } from '../session/evolve.ts';
import { evolve } from '../session/evolve.ts';
import { askedHere, placeOfQuestion, waitsForHuman } from '../session/open-checkpoints.ts';
import type { AnswerOrigin, SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import { nextCalls } from '../session/status.ts';
import { describeSession } from './find-sessions.ts';
import type { OptionPath } from './option-path.ts';
import { pathTo } from './option-path.ts';
import type { OperatorParts } from './load-session.ts';
import { loadRunnableSession } from './load-session.ts';
import type { HumanAnswer, OperatorParkRequest, Question, WriteReceipt } from './create-operator.ts';

/** What a list shows of an open checkpoint. */
export interface CheckpointSummary {
  readonly sid: string;
  /** The revision that an answer names. */
  readonly revision: number;
  readonly id: string;
  /** With the variables filled in. This is untrusted data. */
  readonly name: string;
  /** The workflow, and what the session is about, if anything says so. */
  readonly workflowId: string;
  readonly title: string;
  readonly subject?: string;
  /** The agent that started the session, and its working folder. */
  readonly agent: string;
  readonly project?: string;
  /** The name of the activity that asks. */
  readonly activity: string;
  /** ISO 8601. */
  readonly yieldedAt: string;
  readonly needsHuman: boolean;
  /** When an agent may take the default option, if nobody answers; ISO 8601. */
  readonly timerEndsAt?: string;
}

/** Returns the open checkpoint of a session in short, or `undefined` if none is open. */
export async function summarizeCheckpoint(
  parts: OperatorParts,
  sid: string,
): Promise<CheckpointSummary | undefined> {
  const { state, runnable, session, vault } = await loadRunnableSession(parts, sid);
  const { revision } = state;
  const asked = askedHere(runnable.navigator, state);
  if (asked === undefined) return undefined;
  const { open, checkpoint, place } = asked;
  const { subject } = await describeSession(vault.store, { session, state }, runnable.workflow);
  const { workflowId, agent, project } = session;
  const needsHuman = waitsForHuman(open, checkpoint, policyFor(state, parts.policy));
  const timerEndsAt = needsHuman ? undefined : timerEndOf(checkpoint, open.yieldedAt);
  return {
    sid,
    revision,
    id: checkpoint.id,
    name: fillTitle(checkpoint.name, placeOfQuestion(state, place, checkpoint).context),
    workflowId,
    title: runnable.navigator.workflow.title,
    agent,
    ...defined({ subject, project, timerEndsAt }),
    activity: place.name,
    yieldedAt: open.yieldedAt,
    needsHuman,
  };
}

/** Returns when an agent may take the default option of a checkpoint that needs no person; `undefined` if it has no timer. */
export function timerEndOf(
  {
    autoAdvanceMs,
    defaultOption,
    blocking,
  }: Pick<Checkpoint, 'autoAdvanceMs' | 'blocking' | 'defaultOption'>,
  yieldedAt: string,
): string | undefined {
  if (autoAdvanceMs === undefined || defaultOption === undefined || blocking === true) return undefined;
  return new Date(Date.parse(yieldedAt) + autoAdvanceMs).toISOString();
}

/** Where a session can go once its checkpoint is answered with an option, as far as that is decided already. */
export interface OptionOutcome {
  /** The id of the option. */
  readonly option: string;
  /** The activities that can come next, the recommended one first. Empty if later values decide, or the session stays. */
  readonly next: readonly { readonly id: string; readonly name: string }[];
  /** The session can end. */
  readonly canEnd?: true;
  /** The path from the only activity in `next` to the next stop. Absent if agents can still change where it begins. */
  readonly path?: OptionPath;
}

/** Returns the outcome of each option of the open checkpoint. It decides on each answer as if a person gave it now. */
function optionOutcomes(
  parts: Pick<OperatorParts, 'policy' | 'now'>,
  { state, runnable: { navigator } }: Pick<RunnableSession, 'state' | 'runnable'>,
  options: readonly { readonly id: string }[],
): readonly OptionOutcome[] {
  const nowMs = nowOf(parts);
  const policy = policyFor(state, parts.policy);
  const { gates, minResponseMs, enforcement } = policy;
  return options.flatMap(({ id }) => {
    const decision = decide(
      state,
      { kind: 'answer', mode: { kind: 'option', option: id }, by: 'human', note: '…' },
      { navigator, nowMs, gates, minResponseMs, enforcement, judge: () => undefined },
    );
    if (!decision.ok) return [];
    const after = evolve(state, { at: new Date(nowMs).toISOString(), event: decision.event });
    const end = endKeyword(navigator, sessionPosition(after, navigator, {}, { gates }));
    const calls = nextCalls(after, navigator, gates);
    const targets = calls.flatMap((call) =>
      call.kind === 'move' && call.activity !== undefined ? [call.activity] : [],
    );
    const next = targets
      .filter((target) => target !== end)
      .map((target) => ({ id: target, name: navigator.place(target, after).name }));
    const canEnd = end !== undefined && targets.includes(end);
    const isOnly = targets.length === 1 && calls.every(({ kind }) => kind !== 'yield');
    const [first] = next;
    const path = isOnly && first !== undefined ? pathTo(first.id, after, navigator, policy) : undefined;
    return [{ option: id, next, ...(canEnd && { canEnd: true as const }), ...defined({ path }) }];
  });
}

/** Returns the open checkpoint of a session. @throws WorkflowError INVALID_STATE if none is open */
export async function ask(parts: OperatorParts, sid: string): Promise<Question> {
  const run = await loadRunnableSession(parts, sid);
  const { workflowId } = run.state;
  const question = await presentWithEvidence(parts, run);
  const outcomes = optionOutcomes(parts, run, question.checkpoint.options);
  return { sid, workflowId, ...question, outcomes };
}

/** Answers the checkpoint a session waits at, or gives the answer again that was given. */
export async function respond(
  parts: OperatorParts,
  sid: string,
  { mode, note, revision }: HumanAnswer,
): Promise<Answered & WriteReceipt> {
  const run = await loadRunnableSession(parts, sid);
  const seen = { revision: revision ?? (await questionIn(run)) };
  const { person } = parts;
  const given = { kind: 'answer', mode, by: 'human', person, ...defined({ note }) } as const;
  const carried = await writeAsPerson(parts, { ...run, seen }, { ...given, origin: originOf(parts) });
  const { checkpoint, answer, effect } = carried.event as SessionEventOf<'checkpoint-answered'>;
  return { checkpoint, answer, ...defined({ effect }), ...receiptOf(carried) };
}

/** Returns the origin of a write: a person who signed in, or the user of this machine. */
export function originOf({ channel = 'library', principal, credential }: OperatorParts): AnswerOrigin {
  return {
    channel,
    ...defined({ principal, credential }),
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
  return receiptOf(carried);
}

/** Parks a session, as a person or as the hook of an agent's client. */
export async function park(
  parts: OperatorParts,
  sid: string,
  { by = 'human', ...request }: OperatorParkRequest,
): Promise<WriteReceipt> {
  const run = await loadRunnableSession(parts, sid);
  const { person } = parts;
  const command = { kind: 'park', ...request, by, ...(by === 'human' && { person }) } as const;
  return receiptOf(await writeAsPerson(parts, { ...run, seen: run.state }, command));
}

/** Ends the parking of a session, so that it counts as open again. */
export async function unpark(parts: OperatorParts, sid: string): Promise<WriteReceipt> {
  const run = await loadRunnableSession(parts, sid);
  const command = { kind: 'unpark', by: 'human', person: parts.person } as const;
  return receiptOf(await writeAsPerson(parts, { ...run, seen: run.state }, command));
}

function receiptOf({ state: { revision }, atMs }: ExecutedCommand): WriteReceipt {
  return { revision, at: new Date(atMs).toISOString() };
}

type PersonCommand = Extract<SessionCommand, { kind: 'answer' | 'abandon' | 'evidence' | 'park' | 'unpark' }>;

/** Carries out a person's command and records it in the trace, even if it fails. */
export async function writeAsPerson(
  parts: OperatorParts,
  run: RunnableSession,
  deed: PersonCommand,
): Promise<ExecutedCommand> {
  const { vault, state, session, agent } = run;
  const kind = deed.kind === 'evidence' ? 'collect' : deed.kind;
  const call = { kind, vault, state, session, agentId: agent.id, startMs: nowOf(parts) } as const;
  return traced(parts, call, async () => {
    const carried = await executeCommand(parts, run, deed);
    if ('overtaken' in carried) throw await overtakenError(run, carried.overtaken);
    const note = deed.kind === 'answer' ? carried.state.lastAnswer?.note : undefined;
    return { ...carried, ...defined({ note }) };
  });
}

async function overtakenError({ vault, seen }: RunnableSession, state: SessionState): Promise<WorkflowError> {
  // Somebody may have changed the database, so the event is read together with the journal that proves it.
  const first =
    state.revision > seen.revision ? await revisit(vault.store, state.sid, seen.revision + 1) : undefined;
  const answered = first && answerIn(eventOf(first.kept));
  return new WorkflowError('SESSION_CONFLICT', messages.changedMeanwhile(state.revision, answered), {
    data: { sid: state.sid, revision: state.revision, ...(answered && { answered }) },
  });
}

function answerIn(event: SessionEvent): Parameters<typeof messages.changedMeanwhile>[1] {
  if (event.type !== 'checkpoint-answered') return undefined;
  const { checkpoint, answer, by, person } = event;
  const option = answer.kind === 'dismissed' ? undefined : answer.option;
  return { checkpoint, option, by: person ?? (by === 'agent' ? 'the agent' : 'a person') };
}
