import type { NextCall } from '@workflowlookup/core';
import type {
  CallKind,
  ChildLink,
  EvidenceState,
  ParentLink,
  PersonNote,
  ParkedSession,
  Remedy,
  SessionStatus,
} from '@workflowlookup/core/sessions';
import type { Json, JsonObject } from '@workflowlookup/schema';

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
  const {
    outcome,
    current,
    skipped,
    lastAnswer,
    parent,
    children,
    variables,
    taken,
    notDone,
    next,
    obstacle,
  } = status;
  const { artifacts = [] } = status;
  const omitted = { ...status.omitted, ...omittedCallsJson(status, calls) };
  return {
    status: status.status,
    ...(outcome !== undefined && { outcome }),
    ...(current !== undefined && { current_activity: current }),
    completed_activities: status.completed,
    ...(skipped.length > 0 && { skipped_activities: skipped }),
    ...(lastAnswer !== undefined && { last_checkpoint: lastAnswerJson(lastAnswer) }),
    ...(status.parked !== undefined && { parked: parkedJson(status.parked) }),
    workflow: { ...status.workflow },
    ...(parent !== undefined && { parent: parentJson(parent) }),
    ...(children.length > 0 && { children: children.map(childJson) }),
    ...(Object.keys(variables).length > 0 && { variables, variables_set_by: status.variablesSetBy ?? {} }),
    ...(status.evidence !== undefined && { evidence: status.evidence.map(evidenceStateJson) }),
    ...(artifacts.length > 0 && { artifacts }),
    ...takenJson(taken),
    ...notDoneJson(notDone),
    ...(next.length > 0 && { next: nextCallsJson(status, token).slice(0, calls) }),
    ...(obstacle !== undefined && { obstacle }),
    ...importJson(status),
    ...(Object.keys(omitted).length > 0 && { omitted }),
  };
}

/** Returns whether a session was imported, and whether its journal failed verification. */
export function importJson({
  imported,
  unauthentic,
}: Pick<SessionStatus, 'imported' | 'unauthentic'>): JsonObject {
  return {
    ...(imported !== undefined && {
      imported: { at: imported.at, by: imported.by, authentic: imported.isAuthentic },
    }),
    ...(unauthentic !== undefined && { unauthentic }),
  };
}

/**
 * Returns why a session is parked. The reason may come from an agent, a person or a hook, so `by` tells whose it is.
 */
function parkedJson({ reason, until, by, at }: ParkedSession): JsonObject {
  return { by, reason, at, ...(until !== undefined && { until }) };
}

/** Returns evidence in short: its status and its time. */
function evidenceStateJson({ id, activity, status, level, freshness, recorded }: EvidenceState): JsonObject {
  // Without a configured check nothing was run, so there is no level or freshness to report.
  const isCollected = recorded !== undefined && status !== 'not-configured';
  return {
    evidence_id: id,
    activity_id: activity,
    status,
    ...(level !== undefined && { level }),
    ...(freshness !== undefined && isCollected && { freshness }),
    ...(isCollected && { collected_level: recorded.result.level }),
    ...(recorded !== undefined && { at: recorded.result.collectedAt ?? recorded.at }),
  };
}

/** Returns evidence with its details. */
export function evidenceJson(evidenceState: EvidenceState): JsonObject {
  const { recorded } = evidenceState;
  if (recorded === undefined) return evidenceStateJson(evidenceState);
  const { reasons, check, command, exitCode, tests, testsBefore, errors, coverage, durationMs } =
    recorded.result;
  const { commit, paths, base, touched, by } = recorded.result;
  return {
    ...evidenceStateJson(evidenceState),
    ...(reasons.length > 0 && { reasons }),
    ...(check !== undefined && { check }),
    ...(command !== undefined && { command }),
    ...(exitCode !== undefined && { exit_code: exitCode }),
    ...(tests !== undefined && { tests: { ...tests } }),
    ...(testsBefore !== undefined && { tests_before: testsBefore }),
    ...(errors !== undefined && { errors }),
    ...(coverage !== undefined && { coverage }),
    ...(durationMs !== undefined && { duration_ms: durationMs }),
    ...(commit !== undefined && { commit }),
    ...(paths !== undefined && { paths: [...paths] }),
    ...(base !== undefined && { compared_with: base }),
    ...(touched !== undefined && { written_meanwhile: touched }),
    ...(by !== undefined && { by }),
  };
}

/** Returns the checkpoints that nobody was asked about, for review. */
export function takenJson(taken: SessionStatus['taken'] = []): JsonObject {
  if (taken.length === 0) return {};
  const shown = taken.map(({ checkpoint, activity, option }) => ({
    checkpoint_id: checkpoint,
    activity_id: activity,
    option_id: option,
  }));
  return { to_review: shown };
}

/** Returns the steps that were not done, with their reasons. */
export function notDoneJson(notDone: SessionStatus['notDone'] = []): JsonObject {
  if (notDone.length === 0) return {};
  const shown = notDone.map(({ step, activity, reason, hasOutput }) => ({
    step_id: step,
    activity_id: activity,
    reason,
    ...(hasOutput === true && { has_output: true }),
  }));
  return { not_done: shown };
}

function omittedCallsJson({ next, omitted }: SessionStatus, calls: number): JsonObject {
  return calls < next.length ? { next: (omitted?.next ?? 0) + next.length - calls } : {};
}

function lastAnswerJson({
  checkpoint,
  activity,
  answer,
  at,
  answeredBy,
  person,
  note,
  relayedNote,
  effect,
}: NonNullable<SessionStatus['lastAnswer']>): JsonObject {
  const how = answer.kind === 'dismissed' ? { dismissed: true } : { option_id: answer.option };
  return {
    checkpoint_id: checkpoint,
    activity_id: activity,
    ...how,
    at,
    ...(answeredBy !== undefined && { answered_by: answeredBy }),
    ...(person !== undefined && { person }),
    ...(note !== undefined && { person_note: note }),
    ...(relayedNote !== undefined && { relayed_note: relayedNote }),
    ...(effect !== undefined && { effect: { ...effect } }),
  };
}

/** Returns the words of persons under the names that clients see. */
export function personNoteJson({ checkpoint, answer, words }: PersonNote): JsonObject {
  return { checkpoint_id: checkpoint, ...(answer !== undefined && { option_id: answer }), words };
}

function parentJson({ sid, workflowId, activity, version }: ParentLink): JsonObject {
  return {
    session_id: sid,
    workflow_id: workflowId,
    ...(activity !== undefined && { activity }),
    version,
  };
}

function childJson({ sid, workflowId, status, unauthentic }: ChildLink): JsonObject {
  return {
    session_id: sid,
    workflow_id: workflowId,
    status,
    ...(unauthentic !== undefined && { unauthentic }),
  };
}

export const toolForCall: Readonly<Record<CallKind, string>> = {
  start: 'start_session',
  status: 'get_workflow_status',
  'read-workflow': 'get_workflow',
  move: 'next_activity',
  collect: 'collect_evidence',
  'read-activity': 'get_activity',
  yield: 'yield_checkpoint',
  resume: 'resume_checkpoint',
  present: 'present_checkpoint',
  answer: 'respond_checkpoint',
  park: 'park',
  'read-skills': 'get_skills',
  'read-skill': 'get_skill',
  'read-resource': 'get_resource',
  'resolve-operations': 'resolve_operations',
  'read-trace': 'get_trace',
};

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
  return { tool: toolForCall.resume, arguments: { wait_ms: longestWaitMs } };
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
  const tool = toolForCall[call.kind];
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
        arguments: {
          ...session,
          checkpoint_id: call.checkpoint,
          ...(call.variables !== undefined && { variables: shortValues(call.variables) }),
          ...(isAlone && { include_checkpoint: true }),
        },
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
    JSON.stringify(value).length <= maxValueLength ? value : placeholder(`the value of ${name} in this call`),
  ]);
  return Object.fromEntries(shown) as JsonObject;
}

function answerCallJson(
  { checkpoint, options, by, isIdle, needsNote }: Extract<NextCall, { kind: 'answer' }>,
  session: JsonObject,
): NamedCall & JsonObject {
  const tool = toolForCall.answer;
  if (isIdle === true) return { tool, arguments: { ...session, condition_not_met: true } };
  if (needsNote === true) {
    const [option] = options;
    return { tool, arguments: { ...session, option_id: option ?? '', note: placeholder('note') } };
  }
  return by === 'human'
    ? {
        tool: toolForCall.resume,
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
  const manifest = [{ step_id: placeholder('each of manifest_steps'), output: placeholder('output') }];
  return {
    tool: toolForCall.move,
    arguments: {
      ...session,
      ...(activity !== undefined && !isOnly && { activity_id: activity }),
      ...(steps.length > 0 && { step_manifest: manifest }),
      ...(undecided !== undefined && {
        variables: Object.fromEntries(undecided.map((name) => [name, placeholder(name)])),
      }),
    },
    ...(activity !== undefined && isOnly && { leads_to: activity }),
    ...(undecided !== undefined && { set_first: undecided }),
    ...(steps.length > 0 && { manifest_steps: steps }),
    ...(moreSteps !== undefined && { more_steps: moreSteps }),
    ...(needsEvidence !== undefined && { needs_evidence: needsEvidence }),
  };
}
