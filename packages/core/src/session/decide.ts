import type { Enforcement } from '@workflowlookup/schema';
import { hiddenCharactersIn, writeOutHidden } from '@workflowlookup/schema';
import type { Navigator } from '../navigation/navigator.ts';
import { answerCheckpoint } from './answer-checkpoint.ts';
import type { DecisionInputs, Decision, SessionCommand } from './command.ts';
import { checkpointActive, refuse } from './command.ts';
import { refuseLongOutputs } from './manifest.ts';
import { moveOn } from './move-on.ts';
import { reservedNames } from './ownership.ts';
import type { ParentLink, SealedPolicy, SessionEvent, SetBy, VariableOwner } from './session-event.ts';
import type { SessionEventOf } from './evolve.ts';
import { hasDriven } from './open-checkpoints.ts';
import type { OpenCheckpoint, SessionState, Values } from './session-state.ts';
import { initialVariables, pathsInto, refuseTooMuch, setByEach, withModeDefaults } from './session-state.ts';
import { yieldCheckpoint } from './yield-checkpoint.ts';
import { evidenceMessages, messages } from '../messages/sessions.ts';

/**
 * Decides what a command does to a session: one event, or a refusal that names the problem and the next legal call.
 * Pure: it reads no clock, no random source and no file.
 *
 * @see docs/sessions.md
 */
export function decide(
  state: SessionState,
  command: SessionCommand,
  circumstances: DecisionInputs,
): Decision<SessionEvent> {
  if (state.status === 'completed') {
    return refuse('SESSION_COMPLETED', messages.sessionCompleted());
  }
  const tooMuch =
    refuseTooMuch(state, 'variables' in command ? (command.variables ?? {}) : {}) ??
    refuseLongOutputs('manifest' in command ? (command.manifest ?? []) : []);
  if (tooMuch !== undefined) return { ok: false, refusal: tooMuch };
  const at = underPolicy(state, circumstances);
  switch (command.kind) {
    case 'move':
      return state.gate === undefined ? moveOn(state, command, at) : held(state.gate);
    case 'yield':
      return state.gate === undefined ? yieldCheckpoint(state, command, at) : held(state.gate);
    case 'answer':
      return answerCheckpoint(state, command, at);
    case 'evidence':
      return keepEvidence(state, command);
    case 'abandon':
      return { ok: true, event: abandonment(state, command), warnings: [] };
    case 'park':
      return state.gate === undefined ? park(command, at) : held(state.gate);
    case 'unpark':
      return state.parked === undefined
        ? refuse('INVALID_STATE', messages.notParked())
        : { ok: true, event: { type: 'session-resumed', ...writerOf(command) }, warnings: [] };
  }
}

/** The settings that decide how strict a session is. */
export interface DecisionPolicy extends SealedPolicy {
  /** `strict`: a departure from the workflow is refused; `advisory`: the workflow decides. */
  readonly enforcement: Enforcement;
}

/**
 * Returns the policy that applies to a session on this server: for each setting the stricter of what was sealed into
 * the session and what this server requires. A second server on the same database can't loosen what the first one
 * promised.
 */
export function policyFor(
  { enforcement, policy: sealed }: Pick<SessionState, 'enforcement' | 'policy'>,
  server: DecisionPolicy,
): DecisionPolicy {
  const own = sealed ?? server;
  return {
    enforcement: [enforcement, server.enforcement].includes('strict') ? 'strict' : 'advisory',
    gates: [own.gates, server.gates].includes('human') ? 'human' : 'declared',
    trustElicitation: own.trustElicitation && server.trustElicitation,
    minResponseMs: Math.max(own.minResponseMs, server.minResponseMs),
    autonomy: own.autonomy === 'reversible' && server.autonomy === 'reversible' ? 'reversible' : 'ask',
  };
}

/** Applies the policy that was sealed into the session, or the server's if that is stricter. */
function underPolicy(state: SessionState, at: DecisionInputs): DecisionInputs {
  const { enforcement = 'advisory', gates, minResponseMs, autonomy = 'ask' } = at;
  const ours = { enforcement, gates, minResponseMs, autonomy, trustElicitation: false };
  return { ...at, ...policyFor(state, ours) };
}

function held({ checkpoint }: OpenCheckpoint): Decision<SessionEvent> {
  return { ok: false, refusal: checkpointActive(checkpoint) };
}

/** The most characters that the reason of a parked session may have. */
const maxReasonChars = 500;

/**
 * Parks a session. While a checkpoint is open, that is refused: the session already waits, and a person's answer must
 * find the question as it was asked.
 */
function park(
  command: Extract<SessionCommand, { kind: 'park' }>,
  { nowMs }: DecisionInputs,
): Decision<SessionEvent> {
  const reason = command.reason.replaceAll(/\s+/g, ' ').trim();
  const [hidden] = hiddenCharactersIn(reason);
  if (reason === '' || reason.length > maxReasonChars || hidden !== undefined)
    return refuse('INVALID_INPUT', messages.parkReason(reason.length, maxReasonChars), { field: 'reason' });
  const untilMs = command.until === undefined ? undefined : timeOf(command.until);
  if (untilMs !== undefined && !(untilMs > nowMs))
    return refuse('INVALID_INPUT', messages.parkUntil(writeOutHidden(command.until ?? '')), {
      field: 'until',
    });
  const event: SessionEvent = {
    type: 'session-parked',
    reason,
    ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    ...writerOf(command),
  };
  return { ok: true, event, warnings: [] };
}

/** Returns the milliseconds of a time with a time zone, or NaN for another text. */
function timeOf(text: string): number {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
}

function writerOf({
  by,
  person,
  credential,
}: Extract<SessionCommand, { kind: 'park' | 'unpark' }>): Pick<
  SessionEventOf<'session-resumed'>,
  'by' | 'person' | 'credential'
> {
  return {
    by,
    ...(person === undefined ? {} : { person }),
    ...(credential === undefined ? {} : { credential }),
  };
}

/** Keeps the result of a collection, which is of use only while the session is at the activity that asked for it. */
function keepEvidence(
  state: SessionState,
  command: Extract<SessionCommand, { kind: 'evidence' }>,
): Decision<SessionEvent> {
  const { gate: openCheckpoint, current } = state;
  const { kind: _kind, isFromOutside, ...kept } = command;
  // Otherwise, an agent could say as a person that it saw a check pass.
  if (kept.result.level === 'observed' && hasDriven(state, kept.origin?.credential))
    return refuse('FORBIDDEN', evidenceMessages.sameCredential(), { reason: 'same-credential' });
  // An agent can't change what a person is looking at, but a person may add to it.
  if (openCheckpoint !== undefined && isFromOutside !== true) return held(openCheckpoint);
  if (current !== command.activity)
    return refuse('INVALID_STATE', evidenceMessages.activityLeft(command.activity));
  return { ok: true, event: { type: 'evidence-collected', ...kept }, warnings: [] };
}

function abandonment({ current }: SessionState, { person }: { readonly person?: string }): SessionEvent {
  const from = current === undefined ? {} : { from: current };
  return {
    type: 'session-completed',
    ...from,
    condition: '',
    manifest: [],
    variables: {},
    outcome: 'abandoned',
    ...(person === undefined ? {} : { person }),
    warnings: [],
  };
}

/** What a session starts with in addition to its workflow. */
export interface SessionStart {
  /** The enforcement that the server requests; a strict workflow stays strict. */
  readonly enforcement?: Enforcement;
  readonly parent?: ParentLink;
  /** Values passed on from a parent session, for example by a trigger's `passContext`. */
  readonly variables?: Values;
  /** Variables that belong to a checkpoint of the parent, with or without a value. */
  readonly owned?: Readonly<Record<string, VariableOwner>>;
  /** Name of the source that served the definition. */
  readonly source?: string | undefined;
  /** The policy of the whole session, whichever server continues it. */
  readonly policy?: SealedPolicy;
  /** The credential of the call: its id. */
  readonly credential?: string;
  /** Credentials that worked on the parent. */
  readonly drivers?: readonly string[];
  /** What the session is about, for people. */
  readonly title?: string;
}

/**
 * Returns the first event of a session. Its variables are the defaults, the values passed on, and the defaults of
 * active modes.
 */
export function startSession(
  navigator: Navigator,
  { enforcement = 'advisory', variables: passed = {}, owned = {}, ...more }: SessionStart = {},
): Extract<SessionEvent, { type: 'session-started' }> {
  const { id, version, digest } = navigator.workflow;
  const { parent, policy, credential, source, title, drivers = [] } = more;
  const defaults = initialVariables(navigator);
  const given = { ...passed, ...pathsInto(passed, defaults) };
  const before = { variables: defaults, assigned: [], modes: [] };
  const own = withModeDefaults(navigator, before, {});
  // A parent's agent could pass on a mode that sets variables which only an answer, here or in the parent, may set.
  const reserved = [...reservedNames(navigator), ...Object.keys(owned)];
  const guarded = new Set(reserved.filter((name) => !Object.hasOwn(own, name)));
  const filled = withModeDefaults(navigator, { ...before, guarded }, given);
  const setBy = (name: string): SetBy => {
    if (Object.hasOwn(given, name)) return 'trigger';
    return Object.hasOwn(filled, name) ? 'mode' : 'default';
  };
  const variables = { ...defaults, ...filled };
  return {
    type: 'session-started',
    workflowId: id,
    version,
    digest,
    enforcement: [enforcement, navigator.enforcement].includes('strict') ? 'strict' : 'advisory',
    variables,
    assigned: Object.keys(given),
    ...setByEach(variables, setBy),
    ...(Object.keys(owned).length === 0 ? {} : { owned }),
    ...(policy === undefined ? {} : { policy }),
    ...(source === undefined ? {} : { source }),
    ...(credential === undefined ? {} : { credential }),
    ...(drivers.length === 0 ? {} : { drivers }),
    ...(parent === undefined ? {} : { parent }),
    ...(title === undefined ? {} : { title }),
  };
}

/** Returns the link to its parent that a child session records. */
export function parentLink({ sid, workflowId, version, current }: SessionState): ParentLink {
  return { sid, workflowId, version, ...(current === undefined ? {} : { activity: current }) };
}
