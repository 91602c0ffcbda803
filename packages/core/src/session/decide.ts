import type { Enforcement } from '@workflowlookup/schema';
import { defined, hiddenCharactersIn, unlessEmpty, writeOutHidden } from '@workflowlookup/schema';
import type { Navigator } from '../navigation/navigator.ts';
import { answerCheckpoint } from './answer-checkpoint.ts';
import type { DecisionInputs, Decision, SessionCommand } from './command.ts';
import { checkpointActive, refuse } from './command.ts';
import { refuseLongOutputs } from './outputs/manifest.ts';
import { moveOn } from './move-on.ts';
import { reservedNames } from './ownership.ts';
import type { SessionEventOf } from './evolve.ts';
import type { ParentLink, ParkedBy, SealedPolicy, SessionEvent, SetBy } from './session-event.ts';
import { hasDriven } from './open-checkpoints.ts';
import type { SessionState, Values } from './session-state.ts';
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
  if (tooMuch !== undefined) return tooMuch;
  const { enforcement = 'advisory', autonomy = 'ask' } = circumstances;
  const ours = { ...circumstances, enforcement, autonomy, trustElicitation: false };
  const at = { ...circumstances, ...policyFor(state, ours) };
  if (state.gate !== undefined && ['move', 'park', 'yield'].includes(command.kind))
    return checkpointActive(state.gate.checkpoint);
  switch (command.kind) {
    case 'move':
      return moveOn(state, command, at);
    case 'yield':
      return yieldCheckpoint(state, command, at);
    case 'answer':
      return answerCheckpoint(state, command, at);
    case 'evidence':
      return keepEvidence(state, command);
    case 'abandon':
      return { ok: true, event: abandonment(state, command), warnings: [] };
    case 'park':
      return park(command, at);
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
    ...defined({ until: untilMs === undefined ? undefined : new Date(untilMs).toISOString() }),
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

function writerOf({ by, person, credential }: ParkedBy): ParkedBy {
  return defined({ by, person, credential });
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
  if (openCheckpoint !== undefined && isFromOutside !== true)
    return checkpointActive(openCheckpoint.checkpoint);
  if (current !== command.activity)
    return refuse('INVALID_STATE', evidenceMessages.activityLeft(command.activity));
  return { ok: true, event: { type: 'evidence-collected', ...kept }, warnings: [] };
}

function abandonment(
  { current: from }: SessionState,
  { person }: { readonly person?: string },
): SessionEvent {
  return {
    type: 'session-completed',
    condition: '',
    manifest: [],
    variables: {},
    outcome: 'abandoned',
    warnings: [],
    ...defined({ from, person }),
  };
}

/** What a session starts with in addition to its workflow. */
export interface SessionStart extends Pick<
  SessionEventOf<'session-started'>,
  'parent' | 'owned' | 'policy' | 'credential' | 'drivers' | 'title'
> {
  /** The enforcement that the server requests; a strict workflow stays strict. */
  readonly enforcement?: Enforcement;
  /** Values passed on from a parent session, for example by a trigger's `passContext`. */
  readonly variables?: Values;
  /** Name of the source that served the definition. */
  readonly source?: string | undefined;
}

/**
 * Returns the first event of a session. Its variables are the defaults, the values passed on, and the defaults of
 * active modes.
 */
export function startSession(
  navigator: Navigator,
  { enforcement = 'advisory', variables: passed = {}, owned = {}, ...more }: SessionStart = {},
): SessionEventOf<'session-started'> {
  const { id, version, digest } = navigator.workflow;
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
    ...(Object.keys(owned).length > 0 && { owned }),
    ...defined({ ...more, drivers: unlessEmpty(more.drivers) }),
  };
}

/** Returns the link to its parent that a child session records. */
export function parentLink({ sid, workflowId, version, current }: SessionState): ParentLink {
  return defined({ sid, workflowId, version, activity: current });
}
