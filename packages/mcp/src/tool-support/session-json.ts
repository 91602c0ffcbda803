import type { NextCall } from '@workflowlookup/core';
import type {
  CallKind,
  EvidenceState,
  PersonNote,
  Remedy,
  SessionStatus,
} from '@workflowlookup/core/sessions';
import type { Json, JsonObject } from '@workflowlookup/schema';
import { callKinds, messages } from '../messages.ts';

/** Returns the fields that have a value. */
export function present(fields: object): JsonObject {
  return Object.fromEntries<Json>(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Returns a list or an object unless it is empty. */
function unlessEmpty<Values extends object>(values: Values): Values | undefined {
  return Object.keys(values).length === 0 ? undefined : values;
}

/** What a status shows besides the session's state. */
interface StatusOptions {
  /** The token in the arguments of the next calls. */
  readonly token: string;
  /** How many of the next calls it shows; by default all of them. */
  readonly calls?: number;
}

/** Returns the status of a session as clients see it. */
export function statusJson(
  status: SessionStatus,
  { token, calls = status.next.length }: StatusOptions,
): JsonObject {
  const { lastAnswer, parent, parked, variables, evidence, next, omitted } = status;
  const isCut = calls < next.length;
  return present({
    status: status.status,
    outcome: status.outcome,
    current_activity: status.current,
    completed_activities: status.completed,
    skipped_activities: unlessEmpty(status.skipped),
    last_checkpoint: lastAnswer && lastAnswerJson(lastAnswer),
    // The reason may come from an agent, a person or a hook, so `by` tells whose it is.
    parked: parked && present({ by: parked.by, reason: parked.reason, at: parked.at, until: parked.until }),
    workflow: status.workflow,
    parent:
      parent &&
      present({
        session_id: parent.sid,
        workflow_id: parent.workflowId,
        activity: parent.activity,
        version: parent.version,
      }),
    children: unlessEmpty(
      status.children.map(({ sid, workflowId, status: state, unauthentic }) =>
        present({ session_id: sid, workflow_id: workflowId, status: state, unauthentic }),
      ),
    ),
    ...(unlessEmpty(variables) && { variables, variables_set_by: status.variablesSetBy ?? {} }),
    evidence: evidence?.map(evidenceStateJson),
    artifacts: unlessEmpty(status.artifacts ?? []),
    ...takenJson(status.taken),
    ...notDoneJson(status.notDone),
    next: unlessEmpty(nextCallsJson(status, token).slice(0, calls)),
    obstacle: status.obstacle,
    ...importJson(status),
    omitted: unlessEmpty({
      ...omitted,
      ...(isCut && { next: (omitted?.next ?? 0) + next.length - calls }),
    }),
  });
}

/** Returns whether a session was imported, and whether its journal failed verification. */
export function importJson({
  imported,
  unauthentic,
}: Pick<SessionStatus, 'imported' | 'unauthentic'>): JsonObject {
  return present({
    imported: imported && { at: imported.at, by: imported.by, authentic: imported.isAuthentic },
    unauthentic,
  });
}

/** Returns evidence in short: its status and its time. */
function evidenceStateJson({ id, activity, status, level, freshness, recorded }: EvidenceState): JsonObject {
  // Without a configured check nothing was run, so there is no level or freshness to report.
  const isCollected = recorded !== undefined && status !== 'not-configured';
  return present({
    evidence_id: id,
    activity_id: activity,
    status,
    level,
    ...(isCollected && { freshness, collected_level: recorded.result.level }),
    at: recorded && (recorded.result.collectedAt ?? recorded.at),
  });
}

/** Returns evidence with its details. */
export function evidenceJson(evidenceState: EvidenceState): JsonObject {
  const result = evidenceState.recorded?.result;
  return present({
    ...evidenceStateJson(evidenceState),
    reasons: unlessEmpty(result?.reasons ?? []),
    check: result?.check,
    command: result?.command,
    exit_code: result?.exitCode,
    tests: result?.tests,
    tests_before: result?.testsBefore,
    errors: result?.errors,
    coverage: result?.coverage,
    duration_ms: result?.durationMs,
    commit: result?.commit,
    paths: result?.paths,
    compared_with: result?.base,
    written_meanwhile: result?.touched,
    by: result?.by,
  });
}

/** Returns the checkpoints that nobody was asked about, for review. */
export function takenJson(taken: SessionStatus['taken'] = []): JsonObject {
  const shown = taken.map(({ checkpoint, activity, option }) => ({
    checkpoint_id: checkpoint,
    activity_id: activity,
    option_id: option,
  }));
  return present({ to_review: unlessEmpty(shown) });
}

/** Returns the steps that were not done, with their reasons. */
export function notDoneJson(notDone: SessionStatus['notDone'] = []): JsonObject {
  const shown = notDone.map(({ step, activity, reason, hasOutput }) => ({
    step_id: step,
    activity_id: activity,
    reason,
    ...(hasOutput === true && { has_output: true }),
  }));
  return present({ not_done: unlessEmpty(shown) });
}

function lastAnswerJson(last: NonNullable<SessionStatus['lastAnswer']>): JsonObject {
  const { answer } = last;
  return present({
    checkpoint_id: last.checkpoint,
    activity_id: last.activity,
    ...(answer.kind === 'dismissed' ? { dismissed: true } : { option_id: answer.option }),
    at: last.at,
    answered_by: last.answeredBy,
    person: last.person,
    person_note: last.note,
    relayed_note: last.relayedNote,
    effect: last.effect,
  });
}

/** Returns the words of persons under the names that clients see. */
export function personNoteJson({ checkpoint, answer, words }: PersonNote): JsonObject {
  return present({ checkpoint_id: checkpoint, option_id: answer, words });
}

/** How long `resume_checkpoint` may wait for the answer of a person, in milliseconds. */
export const longestWaitMs = 50_000;

/** Returns the placeholder of an argument that the agent fills in. */
function placeholder(name: string): string {
  return `<${name}>`;
}

/** The placeholder of the token, for statuses that would be too long with the token in every call. */
export const tokenPlaceholder = placeholder('session_token');

/**
 * Returns the calls that are allowed now, with the arguments that are known and a placeholder for each of the others. If
 * there is only one transition, `activity_id` is left out: what the agent learns in the activity may enable another one,
 * and the server then picks that.
 */
function nextCallsJson({ next, isAlone = false }: SessionStatus, token: string): readonly JsonObject[] {
  const moves = next.filter(({ kind }) => kind === 'move');
  return next.map((call) => nextCallJson(call, { token, isAlone, isOnlyMove: moves.length === 1 }));
}

/** A call as text and data of an error name it: without the token. */
export interface NamedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** Returns the call that resolves an error. */
export function remedyCall({ isAlone, ...call }: Exclude<Remedy, CallKind>): NamedCall {
  const { tool, arguments: all } = nextCallJson(call, { token: '', isAlone, isOnlyMove: true });
  const { session_token: _token, ...known } = all;
  return { tool, arguments: known };
}

/** Returns the call that waits for the answer to a checkpoint. */
export function waitCall(): NamedCall {
  return { tool: callKinds.resume.tool, arguments: { wait_ms: longestWaitMs } };
}

interface CallSurroundings {
  readonly token: string;
  /** An agent that works alone makes fewer calls, each with more in its answer. */
  readonly isAlone: boolean;
  readonly isOnlyMove: boolean;
}

function nextCallJson(
  call: NextCall,
  { token, isAlone, isOnlyMove }: CallSurroundings,
): NamedCall & JsonObject {
  const tool = callKinds[call.kind].tool;
  const session = { session_token: token };
  const withActivity = { ...session, ...(isAlone && { include_activity: true }) };
  switch (call.kind) {
    case 'read-activity':
      return { tool, arguments: { ...session, ...(isAlone && { full: true }) } };
    case 'collect':
      return { tool, arguments: { ...session, evidence_ids: call.evidence } };
    case 'yield':
      return {
        tool,
        arguments: present({
          ...session,
          checkpoint_id: call.checkpoint,
          variables: call.variables && shortValues(call.variables),
          include_checkpoint: isAlone ? true : undefined,
        }),
      };
    case 'present':
      return { tool, arguments: session, checkpoint_id: call.checkpoint };
    case 'answer':
      return answerCallJson(call, withActivity);
    case 'move':
      return moveCallJson(call, withActivity, isOnlyMove);
  }
}

/** Longer values of a refused call are not repeated. */
const maxValueLength = 200;

function shortValues(values: Readonly<Record<string, Json>>): JsonObject {
  const shown = Object.entries(values).map(([name, value]) => [
    name,
    JSON.stringify(value).length <= maxValueLength ? value : placeholder(messages.valueInCall(name)),
  ]);
  return Object.fromEntries(shown) as JsonObject;
}

function answerCallJson(
  { checkpoint, options, by, isIdle, needsNote }: Extract<NextCall, { kind: 'answer' }>,
  session: JsonObject,
): NamedCall & JsonObject {
  const tool = callKinds.answer.tool;
  if (isIdle === true) return { tool, arguments: { ...session, condition_not_met: true } };
  if (needsNote === true) {
    const [option] = options;
    return { tool, arguments: { ...session, option_id: option ?? '', note: placeholder('note') } };
  }
  return by === 'human'
    ? {
        tool: callKinds.resume.tool,
        arguments: { ...session, wait_ms: longestWaitMs },
        checkpoint_id: checkpoint,
        waits_for: 'human',
        answered_by: 'person',
      }
    : {
        tool,
        arguments: { ...session, option_id: placeholder('option_id') },
        one_of: { option_id: options },
        answered_by: by === 'agent' ? 'agent' : 'user',
      };
}

/** Returns a call of `next_activity` with the steps its manifest must contain. */
function moveCallJson(
  { activity, undecided, steps, moreSteps, needsEvidence }: Extract<NextCall, { kind: 'move' }>,
  session: JsonObject,
  isOnly: boolean,
): NamedCall & JsonObject {
  // A manifest with every step would repeat the ids, and a status has to stay short.
  const manifest = [{ step_id: placeholder(messages.eachManifestStep()), output: placeholder('output') }];
  const known = present({
    ...session,
    activity_id: isOnly ? undefined : activity,
    step_manifest: steps.length > 0 ? manifest : undefined,
    variables: undecided && Object.fromEntries(undecided.map((name) => [name, placeholder(name)])),
  });
  const facts = present({
    leads_to: isOnly ? activity : undefined,
    set_first: undecided,
    manifest_steps: unlessEmpty(steps),
    more_steps: moreSteps,
    needs_evidence: needsEvidence,
  });
  return { tool: callKinds.move.tool, arguments: known, ...facts };
}
