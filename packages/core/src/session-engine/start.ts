import type { Json, JsonObject, Workflow } from '@workflowlookup/schema';
import { WorkflowError, defined, hiddenCharactersIn, writeOutHidden } from '@workflowlookup/schema';
import type { SessionRow } from '@workflowlookup/storage';
import {
  assertWritable,
  emptyJournal,
  notWritable,
  sealEvents,
  assertAuthentic,
} from '@workflowlookup/storage/journal';
import { describeProblem, explainAbsence, sharedWorkflowId } from '../library/library.ts';
import { messages } from '../messages/sessions.ts';
import type { CheckpointPolicy, Navigator } from '../navigation/navigator.ts';
import type { TokenPayload } from './session-tokens.ts';
import { isSessionId, newSessionId } from './session-tokens.ts';
import type { DecisionPolicy, SessionStart } from '../session/decide.ts';
import { parentLink, policyFor, startSession, decide } from '../session/decide.ts';
import { sessionPosition } from '../session/evaluate-move.ts';
import type { SessionEventOf } from '../session/evolve.ts';
import { begin, evolve, isOfCheckpoint } from '../session/evolve.ts';
import type { Judging } from '../session/open-checkpoints.ts';
import { isPersons } from '../session/open-checkpoints.ts';
import { reservedNames } from '../session/ownership.ts';
import type { VariableOwner } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import { overlaps, ownValue } from '../session/session-state.ts';
import type { Runnable, OpenSession } from './open-session.ts';
import { pin, runnableOf, activityPart, assertOwner, openSession, stateOf } from './open-session.ts';
import type {
  SessionParts,
  ActivityReading,
  Arrival,
  Moved,
  Outcome,
  Resumed,
  StartRequest,
  Started,
} from './sessions.ts';
import { newDelivery, readActivity, readStatus } from './read-calls.ts';
import { traced, nowOf } from './trace.ts';
import { credentialOf } from './write-calls.ts';

/** A session that was started. If the request asked for that, it is already at its first activity. */
type Fresh = Pick<StartedSession, 'state' | 'entryWarnings'>;

const maxGivenTitleChars = 200;

/** Starts a session, as the child of another if the request names one. */
async function startFresh(parts: SessionParts, request: StartRequest): Promise<Fresh> {
  const { workflowId = sharedWorkflowId, parentToken } = request;
  const title = request.title?.trim().slice(0, maxGivenTitleChars);
  const parent = parentToken === undefined ? undefined : await openParent(parts, parentToken);
  const workflow = await servedWorkflow(parts, workflowId);
  refuseBroken(workflow);
  const { navigator } = runnableOf(workflow);
  const { policy } = parts;
  const { enforcement, ...sealed } = parent === undefined ? policy : policyFor(parent.state, policy);
  const { gates, trustElicitation, minResponseMs, autonomy } = sealed;
  const event = startSession(navigator, {
    enforcement,
    policy: { gates, trustElicitation, minResponseMs, ...(autonomy === 'reversible' && { autonomy }) },
    source: (await parts.workflows.provenance?.(workflowId))?.source,
    ...credentialOf(parts),
    ...(title !== undefined && title !== '' && { title }),
    ...(parent && {
      parent: parentLink(parent.state),
      drivers: parent.state.drivers,
      ...passedVariables(parent, navigator, gates),
    }),
  });
  return create(parts, workflow, event, request);
}

/** A parent must be genuine: a child without its parent would look like a session of its own. */
async function openParent(parts: SessionParts, token: string): Promise<OpenSession> {
  const parent = await openSession(parts, token).catch((error: unknown) => {
    if (!(error instanceof WorkflowError) || error.code !== 'TOKEN_INVALID') throw error;
    throw new WorkflowError('TOKEN_INVALID', messages.parentRefused(error.message));
  });
  // An agent can't continue such a parent, and a child does a part of its parent's work.
  assertWritable(parent.session);
  const { sid, status, outcome = 'completed' } = parent.state;
  if (status !== 'completed') return parent;
  throw new WorkflowError('SESSION_COMPLETED', messages.parentCompleted(sid, outcome), { data: { sid } });
}

async function servedWorkflow({ workflows }: SessionParts, id: string): Promise<Workflow> {
  const workflow = await workflows.get(id);
  if (workflow === undefined) throw await explainAbsence(workflows, id);
  return workflow;
}

/**
 * A workflow must not run without one of its activities: that activity's checkpoint, transitions or `required` would be
 * missing.
 */
function refuseBroken(workflow: Workflow): void {
  if (workflow.kind === 'steps') return;
  const { id: workflowId, problems } = workflow;
  const [first, ...more] = problems.filter(({ kind }) => kind === 'activity');
  if (first === undefined) return;
  const { id, file, issues } = first;
  const message = messages.notStartable(workflowId, describeProblem(first), more.length);
  throw new WorkflowError('INVALID_WORKFLOW', message, {
    data: { workflowId, activity_id: id, file, issues },
  });
}

async function create(
  parts: SessionParts,
  workflow: Workflow,
  event: SessionEventOf<'session-started'>,
  request: StartRequest,
): Promise<Fresh> {
  const { store } = await parts.vault();
  await parts.beforeStart?.(parts.caller);
  const { principal, project } = parts.caller;
  const sid = newSessionId(parts.random);
  const at = new Date(nowOf(parts)).toISOString();
  const begun = begin(sid, { at, event });
  const entry = request.includeActivity === true ? firstEntry(parts, begun, runnableOf(workflow)) : undefined;
  const state = entry === undefined ? begun : evolve(begun, { at, event: entry.event });
  const { workflowId, version, digest, parent } = event;
  await pin(store, workflow);
  const happened = [event, ...(entry === undefined ? [] : [entry.event])];
  const events = sealEvents(
    sid,
    emptyJournal,
    happened.map((one) => ({ at, type: one.type, data: one as unknown as JsonObject })),
  );
  const { agentId: agent } = request;
  const isNew = await store.create(
    { sid, workflowId, version, digest, principal, agent, ...defined({ parentSid: parent?.sid, project }) },
    { events, snapshot: { revision: state.revision, state: state as unknown as JsonObject } },
  );
  if (!isNew) throw new WorkflowError('INTERNAL', 'A new session got the id of an existing one.');
  for (const { type } of happened) parts.onWrite?.({ sid, type });
  parts.onHead?.({ sid, revision: state.revision, hash: events.at(-1)?.hash ?? '', at, status: 'active' });
  return { state, ...defined({ entryWarnings: entry?.warnings }) };
}

/** A session that was started or resumed, and how it was found. */
interface StartedSession extends Pick<Started, 'inherited' | 'adopted' | 'recovered'> {
  readonly state: SessionState;
  /** The row of an existing session. */
  readonly session?: SessionRow;
  readonly warnings: readonly string[];
  /** The warnings of entering the first activity. */
  readonly entryWarnings?: readonly string[];
  readonly payload?: TokenPayload;
}

/**
 * Starts a session, or resumes the one that a token or an id names. If that one can't be resumed, a new session starts
 * with a warning. The state comes from the store, never from an unsigned token.
 */
export async function startOrResume(parts: SessionParts, request: StartRequest): Promise<StartedSession> {
  const { sessionToken, workflowId } = request;
  if (sessionToken === undefined) return { ...(await startFresh(parts, request)), warnings: [] };
  const taken = await resumeSession(parts, sessionToken.trim());
  if (taken === undefined) {
    const warning = messages.startedInstead(workflowId ?? sharedWorkflowId);
    return { ...(await startFresh(parts, request)), recovered: true, warnings: [warning] };
  }
  const running = taken.state.workflowId;
  if (workflowId === undefined || workflowId === running) return taken;
  return { ...taken, warnings: [...taken.warnings, messages.runsOther(running, workflowId)] };
}

async function resumeSession(parts: SessionParts, token: string): Promise<StartedSession | undefined> {
  const { tokens } = await parts.vault();
  const opened = tokens.open(token);
  if (opened.kind === 'genuine') {
    const { sid, payload } = opened.claims;
    const found = await findSession(parts, sid);
    return found && { ...found, inherited: true, ...defined({ payload }) };
  }
  const sid = opened.kind === 'unsigned' ? opened.sid : token;
  const found = isSessionId(sid) ? await findSession(parts, sid) : undefined;
  if (found === undefined) return undefined;
  const warning = opened.kind === 'unsigned' ? messages.resumedUnsigned() : messages.resumedById();
  return { ...found, inherited: true, adopted: true, warnings: [warning, ...found.warnings] };
}

/** A session sealed with a key that is lost keeps its place: an agent can read its status, and nothing else. */
async function findSession(
  parts: SessionParts,
  sid: string,
): Promise<Pick<StartedSession, 'state' | 'session' | 'warnings'> | undefined> {
  const { store } = await parts.vault();
  const loaded = await store.load(sid);
  if (loaded === undefined) return undefined;
  assertOwner(loaded, parts.caller);
  const { session } = loaded;
  if (session.unauthentic === 'unknown-key') {
    // Somebody without the keys may have written any source into these events.
    const { source: _source, ...state } = stateOf(loaded);
    return { state, session, warnings: [notWritable(session).message] };
  }
  assertWritable(session);
  return { state: stateOf(loaded), session, warnings: [] };
}

/**
 * Returns the variables that the triggers of the parent's current activity and its steps pass to a child's workflow. A
 * variable that an answer decided in the parent belongs to that checkpoint in the child too, even without a value. A
 * variable that only an answer may set in the child is not taken from a parent whose agent could set it or give the
 * answer. Nor is a value that the parent's open question asks about again.
 */
export function passedVariables(
  { runnable, state }: OpenSession,
  child: Navigator,
  gates: CheckpointPolicy,
): Required<Pick<SessionStart, 'variables' | 'owned'>> {
  if (runnable.kind === 'steps' || state.current === undefined) return { variables: {}, owned: {} };
  const { triggers = [], steps = [] } = activityPart(runnable.workflow, state.current).definition;
  const all = [...triggers, ...steps.flatMap((step) => step.triggers ?? [])];
  const names = all
    .filter(({ workflow }) => workflow === child.workflow.id)
    .flatMap((one) => one.passContext ?? []);
  const reserved = [...reservedNames(child)];
  const variables: Record<string, Json> = {};
  const owned: Record<string, VariableOwner> = {};
  for (const name of names) {
    if (!isKnown(child, name)) continue;
    const decidedBy = ownValue(state.owners, name);
    // Whether the open question of the session asks again what an earlier answer decided about the variable.
    const isAskedAgain = decidedBy && state.gate && isOfCheckpoint(decidedBy, state.gate);
    const value = isAskedAgain === true ? undefined : ownValue(state.variables, name);
    const owner = ownerIn(state, name, { navigator: runnable.navigator, gates });
    const isByPerson = owner !== undefined && owner.approver !== 'any';
    const isDecided = isByPerson && owner.left !== true;
    const isTaken = isDecided || !reserved.some((one) => overlaps(one, name));
    if (isTaken && value !== undefined) variables[name] = value;
    // A person can also decide that a variable stays without a value.
    if (owner !== undefined && (isTaken || isByPerson)) owned[name] = owner;
  }
  return { variables, owned };
}

/**
 * Returns the checkpoint that a variable belongs to, of this session or its parent, or `undefined` if an agent that
 * `set_by` allows has written it since.
 */
function ownerIn(state: OpenSession['state'], name: string, at: Judging): VariableOwner | undefined {
  const { owners, origins, sid } = state;
  if (ownValue(origins, name)?.by === 'agent') return undefined;
  const owner = ownValue(owners, name);
  if (owner === undefined || owner.sid !== undefined) return owner;
  const { byItem: _byItem, ...own } = owner;
  return { sid, ...own, approver: isPersons(state, owner, at) ? 'human' : 'any' };
}

/** Returns whether a workflow accepts a variable. If it declares variables, it accepts only those. */
function isKnown({ variables }: Navigator, name: string): boolean {
  return variables.length === 0 || variables.some((declared) => declared.name === name);
}

/** Returns how a new session enters its first activity, or `undefined` if the caller has to choose or set something. */
export function firstEntry(
  parts: SessionParts,
  state: SessionState,
  { navigator }: Runnable,
): { readonly event: SessionEventOf<'activity-entered'>; readonly warnings: readonly string[] } | undefined {
  const { policy } = parts;
  if (entryPoints(state, navigator, policy).length > 0) return undefined;
  const decision = decide(
    state,
    { kind: 'move', ...credentialOf(parts) },
    // A session that starts has no outputs to judge.
    { ...policy, navigator, nowMs: nowOf(parts), judge: () => undefined },
  );
  if (!decision.ok || decision.event.type !== 'activity-entered') return undefined;
  return { event: decision.event, warnings: decision.warnings };
}

/** Adds the activity that a session is at after a call to the value of the call. */
export async function withActivity<Value extends Moved | Resumed>(
  parts: SessionParts,
  session: OpenSession,
  { value, state = session.state, isRepeated }: Outcome<Value>,
): Promise<Value> {
  if (state.status === 'completed' || state.current === undefined) return value;
  // An agent that repeats a call did not get the first reply, so it gets all operations again.
  return { ...value, reading: await readAt(parts, { ...session, state }, isRepeated === true) };
}

/** Returns what an agent needs to know where a session is that it started or resumed. */
export async function arrivalAt(parts: SessionParts, session: OpenSession): Promise<Arrival> {
  const { state, runnable } = session;
  const { status, current, gate: openCheckpoint } = state;
  if (status === 'active' && openCheckpoint === undefined && current !== undefined)
    return activityArrival(session, await readAt(parts, session, false));
  const { navigator } = runnable;
  const ids = status === 'active' ? entryPoints(state, navigator, parts.policy) : [];
  if (ids.length === 0) return { kind: 'status', status: await readStatus(parts, session) };
  return { kind: 'choice', entryPoints: ids.map((id) => ({ id, name: navigator.place(id, state).name })) };
}

export function activityArrival({ runnable }: OpenSession, activity: ActivityReading): Arrival {
  const rules = runnable.kind === 'activities' ? runnable.workflow.definition.rules : undefined;
  return { kind: 'activity', activity, rules: rules ?? [] };
}

/** Reads the activity of a session, which the trace shows as a call of its own. */
async function readAt(parts: SessionParts, session: OpenSession, full: boolean): Promise<ActivityReading> {
  const { vault, state, agent } = session;
  assertAuthentic(session.session);
  const call = { kind: 'read-activity', vault, state, agentId: agent.id, startMs: nowOf(parts) } as const;
  const read = await traced(parts, call, async () => ({
    value: await readActivity(parts, session, { deliver: newDelivery(full), isBrief: true }),
    warnings: [],
  }));
  return read.value;
}

/**
 * Returns the activities at which a session that has not entered one can begin, if there are several. A strict session
 * begins at the first one. An activity is left out if beginning there could bypass a checkpoint that needs a person.
 */
function entryPoints(state: SessionState, navigator: Navigator, policy: DecisionPolicy): readonly string[] {
  const { entries = [] } = navigator;
  const { enforcement, gates } = policyFor(state, policy);
  if (state.current !== undefined || enforcement === 'strict') return [];
  const { completed } = state;
  const { skipped } = sessionPosition(state, navigator, {}, { gates });
  const legal = entries.filter(
    (id, at) =>
      !skipped.has(id) &&
      (at === 0 || navigator.passedBy({ current: undefined, completed, to: id }, gates) === undefined),
  );
  return legal.length > 1 ? legal : [];
}

// The characters that Unicode lists as confusable with a colon, without marks that belong to letters of their script, and
// a letter of Tifinagh.
const colons =
  /[\u02D0\u02F8\u0589\u05C3\u0703\u0704\u16EC\u1803\u1809\u205A\u2236\u2D42\uA4FD\uA789\uFE30]/g;

/**
 * Refuses agent names that look like a person's. The trace names a person `human:` and their name. Too many characters
 * look like a colon or like the letters of `human` to list them all, so after `human` only letters, digits and `-` are
 * allowed, and everything before a colon must be ASCII. In many fonts, `rn` looks like `m`.
 */
export function refuseReservedName(agentId: string): void {
  const visible = agentId
    .replaceAll(colons, ':')
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim();
  const joined = visible.replaceAll(/\s/gu, '');
  const [prefix = '', ...rest] = joined.split(':');
  const isPlain = rest.length === 0 || /^\p{ASCII}*$/u.test(prefix);
  const looksLikePerson = [visible, joined].some((text) =>
    /^human[^\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{Nd}-]/iu.test(text.replaceAll(/rn/giu, 'm')),
  );
  if (isPlain && !looksLikePerson) return;
  throw new WorkflowError('INVALID_INPUT', messages.reservedName(writeOutHidden(agentId)), {
    data: { field: 'agent_id', reason: 'reserved-name' },
  });
}

/** Refuses agent names with hidden characters, because people read the name on one line beside the names of people. */
export function refuseHiddenName(agentId: string): void {
  const [found] = [
    ...hiddenCharactersIn(agentId).map(({ char }) => char),
    ...(agentId.match(/[\t\r\n]/) ?? []),
  ];
  if (found === undefined) return;
  const character = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  throw new WorkflowError('INVALID_INPUT', messages.hiddenInName(character), {
    data: { field: 'agent_id', reason: 'hidden-character', character },
  });
}
