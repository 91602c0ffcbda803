import { evaluate } from '@workflowlookup/conditions';
import type { Context } from '@workflowlookup/conditions';
import type { Activity, ActivityPart, ActivityWorkflow, Json } from '@workflowlookup/schema';
import { WorkflowError, defined, digestOf, unlessEmpty } from '@workflowlookup/schema';
import { artifactPaths, activityText, definitionText, summaryText, toToon } from '../library/texts.ts';
import type { Library } from '../library/library.ts';
import {
  describeProblem,
  findResource,
  namedByOperations,
  namedByResource,
  sharedWorkflowId,
  primarySkill,
  skillForActivity,
  skillForStep,
  skillForWorkflow,
} from '../library/library.ts';
import type { OperationBundle, ResolvedElement } from '../library/operations.ts';
import {
  bundleText,
  newEntriesText,
  orchestratorBundle,
  resolveOperations,
  soloBundle,
  nameOf,
  workerBundle,
} from '../library/operations.ts';
import type { ActivityExtras, AnsweredView } from '../library/texts.ts';
import { shownEvidence } from '../evidence/evidence-state.ts';
import { activityContextOf, conditionStateOfStep } from '../lookup/describe-activity.ts';
import type { ActivityPlan, SessionCheckpoint } from '../navigation/navigator.ts';
import { composeInstructions } from '../lookup/lookup.ts';
import { defaultTaken } from '../session/answer-checkpoint.ts';
import type { StepInstance } from '../session/outputs/step-account.ts';
import { accountForSteps } from '../session/outputs/step-account.ts';
import type { DecisionPolicy } from '../session/decide.ts';
import { policyFor } from '../session/decide.ts';
import type { AnsweredStep, Decider } from '../session/open-checkpoints.ts';
import { answeredBy, answeredSteps, openCheckpoints } from '../session/open-checkpoints.ts';
import { personNotes } from '../session/session-state.ts';
import type { SessionState } from '../session/session-state.ts';
import { sessionPosition } from '../session/evaluate-move.ts';
import type { SessionStatus } from '../session/status.ts';
import { statusOf } from '../session/status.ts';
import { stepAt } from '../navigation/next-step.ts';
import type { Runnable, OpenSession } from './open-session.ts';
import { readEvidence } from '../evidence/outside-evidence.ts';
import { childrenOf, givenAnswers, isAlone, marksOf } from './trace.ts';
import type { SessionParts, ActivityReading, Outcome, ResourceReading, WorkflowReading } from './sessions.ts';
import { activityPart, loadLibrary, scopeOf, sessionLibrary } from './open-session.ts';
import { partMessages } from '../messages/lookup.ts';
import { messages } from '../messages/sessions.ts';

export async function readWorkflow(
  parts: SessionParts,
  session: OpenSession,
  { summary, full }: { readonly summary: boolean; readonly full: boolean },
): Promise<WorkflowReading> {
  const { runnable } = session;
  const library = await sessionLibrary(parts, session);
  if (runnable.kind === 'steps') {
    const bundle = await deliverBundle(session, orchestratorBundle(library), full);
    return { skill: '', bundle, body: await toToon(reached(session, runnable, summary)) };
  }
  const { workflow } = runnable;
  const primary = primarySkill(library, workflow);
  return {
    skill: primary?.found === true ? await definitionText(primary.skill) : '',
    bundle: await deliverBundle(session, orchestratorBundle(library, workflow), full),
    body: await (summary ? summaryText(workflow) : definitionText(workflow)),
  };
}

/** The files of a session's workflow that can't be used, as warnings. */
export function brokenParts(runnable: Runnable): readonly string[] {
  return runnable.kind === 'steps' ? [] : runnable.workflow.problems.map(describeProblem);
}

/** Returns a step workflow with the steps that the session has reached, without those ahead. */
function reached(
  { state }: OpenSession,
  { compiled, navigator, workflow }: Extract<Runnable, { kind: 'steps' }>,
  summary: boolean,
): object {
  const { completed, current, variables } = state;
  const { id, version, title } = navigator.workflow;
  const ids = [...completed, current].filter((step) => step !== undefined);
  const activities = ids.map((step) => {
    const found = stepAt(compiled, step, variables)?.node.step;
    return { id: step, name: found?.title ?? step, ...(!summary && found && { prompt: found.prompt }) };
  });
  const first = ids[0] ?? navigator.ahead(sessionPosition(state, navigator)).moves[0]?.target;
  const { description } = workflow.definition;
  return defined({ id, version, title, description, initialActivity: first, activities });
}

/** The current activity of a session, for whoever does the work. @throws WorkflowError INVALID_STATE before the first */
export async function readActivity(
  parts: SessionParts,
  session: OpenSession,
  { deliver, isBrief = false }: ReadingStyle,
): Promise<ActivityReading> {
  const { runnable, state } = session;
  const { current } = state;
  if (current === undefined) {
    throw new WorkflowError('INVALID_STATE', messages.noActivityYet(), { data: { remedy: 'move' } });
  }
  const library = await sessionLibrary(parts, session);
  const policy = policyFor(state, parts.policy);
  if (runnable.kind === 'steps') {
    const bundle = await deliver(session, library);
    return { bundle, body: await toToon(await stepView(session, runnable, { current, policy })) };
  }
  const part = activityPart(runnable.workflow, current);
  const place = runnable.navigator.place(current, state);
  const account = accountForSteps(place);
  const { required } = account;
  const answered = answeredSteps(state, place, account);
  const done = new Set(answered.map(({ id }) => id));
  const open = openCheckpoints(state, place, account);
  const idle = isBrief ? idleSteps(part.definition, place.context) : undefined;
  return {
    bundle: await deliver(session, library, { workflow: runnable.workflow, activity: part }),
    body: await activityText(part, {
      remaining: required.map(({ id }) => id).filter((id) => !done.has(id)),
      answered: await answerViews(session, answered, place),
      answeredBy: decidersOf(open, policy, isBrief),
      notes: personNotes(state),
      ...defined({ idle }),
      context: place.context,
      iterations: iterationsIn(required),
      artifacts: artifactPaths(runnable.workflow, part, place.context),
    }),
  };
}

/** Returns the steps outside of loops whose conditions are false, and that nothing in the activity can make true. */
function idleSteps(activity: Activity, context: Context): ReadonlySet<string> {
  const activityContext = activityContextOf(activity, context, 0);
  const idle = (activity.steps ?? []).filter(
    (step) => conditionStateOfStep(step, activityContext).kind === 'fails',
  );
  return new Set(idle.map(({ id }) => id));
}

/**
 * Returns who decides at each checkpoint. Checkpoints that the user decides are only listed in a brief reading, because
 * that is the usual case.
 */
function decidersOf(
  open: readonly SessionCheckpoint[],
  policy: DecisionPolicy,
  isBrief: boolean,
): Readonly<Record<string, string>> {
  const all = open.map((checkpoint) => [checkpoint.id, deciderOf(checkpoint, policy)] as const);
  return Object.fromEntries(all.filter(([, decider]) => isBrief || decider !== 'user'));
}

/** Returns who decides at a checkpoint; `server` if nobody is asked. */
function deciderOf(checkpoint: SessionCheckpoint, policy: DecisionPolicy): Decider | 'server' {
  return defaultTaken(checkpoint, policy) === undefined ? answeredBy(checkpoint, policy) : 'server';
}

/** Returns the answers as they are shown with the steps that asked. */
async function answerViews(
  { vault: { store }, state }: OpenSession,
  answered: readonly AnsweredStep[],
  { checkpoints }: ActivityPlan,
): Promise<readonly AnsweredView[]> {
  const answers = answered.map(({ answer }) => answer);
  const given = await givenAnswers(store, state, answers);
  return answered.map(({ id: step, option, answer }) => {
    const { checkpoint } = answer;
    const { options = [] } = checkpoints.find((one) => one.id === checkpoint) ?? {};
    const label = options.find((one) => one.id === option)?.label;
    const { answeredBy: by, ...more } = given.get(answer) ?? {};
    return { ...defined({ step, checkpoint, answer: option, label, answered_by: by }), ...more };
  });
}

/** Items with more characters of JSON than this are left out; an agent finds them in the variables. */
const maxItemChars = 200;

/** The iterations of loops that are left to do, each with its item. */
function iterationsIn(due: readonly StepInstance[]): NonNullable<ActivityExtras['iterations']> {
  const items = new Map<string, Json>();
  for (const { group, item } of due) {
    const [value] = Object.values(item) as readonly Json[];
    if (value !== undefined && JSON.stringify(value).length <= maxItemChars) items.set(group, value);
  }
  return [...items].map(([iteration, item]) => ({ iteration, item }));
}

/** Returns a step as `workflow_next` shows it, each text once, with its checkpoint. */
async function stepView(
  session: OpenSession,
  { compiled, navigator }: Extract<Runnable, { kind: 'steps' }>,
  { current, policy }: { readonly current: string; readonly policy: DecisionPolicy },
): Promise<object> {
  const { state } = session;
  const { completed, variables } = state;
  const found = stepAt(compiled, current, variables);
  if (found === undefined) return { step_id: current };
  const { definition } = compiled.workflow;
  const { step, guidance: composed } = composeInstructions(found, definition, {
    isFirst: completed.length === 0,
    inSession: true,
    showsGuidance: true,
  });
  const { id: stepId, title, evidence, guidance = [] } = step;
  // A checkpoint says who confirms the step.
  const { prompt, requiresConfirmation: _confirms, ...instructions } = composed;
  const place = navigator.place(current, { variables });
  const { checkpoints: allCheckpoints, context } = place;
  const answered = answeredSteps(state, place, accountForSteps(place));
  const checkpoints = allCheckpoints
    .filter(({ id }) => !answered.some(({ answer: { checkpoint } }) => checkpoint === id))
    .filter(({ condition }) => condition === undefined || evaluate(condition, context))
    .map((checkpoint) => {
      const { id, message, options, approver } = checkpoint;
      return { id, message, options, approver, answered_by: deciderOf(checkpoint, policy) };
    });
  return {
    step_id: stepId,
    title,
    ...(found.node.step.may_be_missing === true && { may_be_missing: true }),
    ...defined({ loop: found.loop, evidence: evidence && shownEvidence(evidence, context) }),
    prompt,
    ...defined({ guidance: unlessEmpty(guidance) }),
    ...instructions,
    ...defined({
      checkpoints: unlessEmpty(checkpoints),
      answered: unlessEmpty(await answerViews(session, answered, place)),
      personNotes: unlessEmpty(personNotes(state)),
    }),
  };
}

/** Returns the primary skill of a workflow in TOON, or nothing if it names none. */
export async function readPrimarySkills(
  parts: SessionParts,
  session: OpenSession,
): Promise<readonly string[]> {
  const { runnable } = session;
  if (runnable.kind === 'steps') return [];
  const found = primarySkill(await sessionLibrary(parts, session), runnable.workflow);
  return found?.found === true ? [await definitionText(found.skill)] : [];
}

/** The skill of a step, of the current activity, or before the first activity of the workflow. */
export async function readSkill(
  parts: SessionParts,
  session: OpenSession,
  stepId: string | undefined,
): Promise<Outcome<string>> {
  const { runnable, state } = session;
  if (runnable.kind === 'steps') {
    throw new WorkflowError('SKILL_NOT_FOUND', partMessages.noSkillsInSteps(runnable.workflow.id));
  }
  const { workflow } = runnable;
  const library = await sessionLibrary(parts, session);
  if (state.current === undefined) {
    if (stepId !== undefined)
      throw new WorkflowError('INVALID_STATE', partMessages.noSkillYet(), { data: { remedy: 'move' } });
    const skill = skillForWorkflow(library, workflow);
    return { value: await definitionText(skill), skill: skill.id };
  }
  const place = { library, workflow, activity: activityPart(workflow, state.current) };
  const skill = stepId === undefined ? skillForActivity(place) : skillForStep(place, stepId);
  return { value: await definitionText(skill), skill: skill.id };
}

/** A resource by number, id or name, also `workflow/resource`. */
export async function readResource(
  parts: SessionParts,
  session: OpenSession,
  resourceId: string,
): Promise<ResourceReading> {
  const named = namedByResource(resourceId);
  const library = await sessionLibrary(parts, session, named === undefined ? [] : [named]);
  const { id, version, body } = findResource(scopeOf(session, library), resourceId);
  return defined({ id, version, body });
}

/** Returns elements of skills by reference. Without a session only shared ones are found. */
export async function readOperations(
  parts: SessionParts,
  refs: readonly string[],
  session?: OpenSession,
): Promise<readonly ResolvedElement[]> {
  const named = namedByOperations(refs);
  if (session === undefined) {
    return resolveOperations(refs, { library: await loadLibrary(parts, [sharedWorkflowId, ...named]) });
  }
  return resolveOperations(refs, scopeOf(session, await sessionLibrary(parts, session, named)));
}

/** What a bundle is for, besides the core set of its role. */
interface BundleFor {
  readonly workflow?: ActivityWorkflow;
  readonly activity?: ActivityPart;
}

/** How the operations of an activity are sent to an agent. */
type Delivery = (session: OpenSession, library: Library, of?: BundleFor) => Promise<string>;

/** How an activity is read. */
export interface ReadingStyle {
  readonly deliver: Delivery;
  /** Leaves out what is not to be done. Default false. */
  readonly isBrief?: boolean;
}

/** How `get_activity` reads an activity. After a context loss, an agent that works alone gets only what it needs. */
export async function readingStyle(session: OpenSession, full: boolean): Promise<ReadingStyle> {
  if (full && (await isAlone(session))) return { deliver: newDelivery(true), isBrief: true };
  return {
    deliver: (_session, library, { workflow, activity } = {}) =>
      deliverBundle(session, workerBundle(library, workflow, activity), full),
  };
}

/** Sends the operations that this agent does not have yet. `full` sends all of them again. */
export function newDelivery(full: boolean): Delivery {
  return async (session, library, { workflow, activity } = {}) => {
    const { vault, state, agent } = session;
    const { store } = vault;
    const bundleOf = (await isAlone(session)) ? soloBundle : workerBundle;
    const bundle = bundleOf(library, workflow, activity);
    const had = full ? [] : await store.delivered(state.sid, agent.number);
    const text = await newEntriesText(bundle, had);
    if (text !== '') await store.markDelivered(state.sid, agent.number, bundle.entries.map(digestOf));
    return text;
  };
}

/** Returns the text of a bundle, or a line that names it if this agent has it already. `full` sends the text again. */
async function deliverBundle(
  { vault: { store }, state: { sid }, agent }: OpenSession,
  bundle: OperationBundle,
  full: boolean,
): Promise<string> {
  const had = full ? [] : await store.delivered(sid, agent.number);
  if (had.includes(bundle.digest)) return partMessages.unchangedBundle(nameOf(bundle.digest));
  await store.markDelivered(sid, agent.number, [bundle.digest, ...bundle.entries.map(digestOf)]);
  return bundleText(bundle);
}

export async function readStatus(
  parts: SessionParts,
  { vault, state, runnable, session, agent }: OpenSession,
): Promise<SessionStatus> {
  const { store } = vault;
  const { gates, enforcement } = policyFor(state, parts.policy);
  const isAuthentic = session.unauthentic === undefined;
  const evidence = isAuthentic ? await readEvidence(parts, { state, runnable, session }) : [];
  // Somebody who can write to the database but has no keys could add a child row, and with it a text for the agent.
  const children = (await childrenOf(store, state.sid)).filter((child) => child.unauthentic === undefined);
  const { lastAnswer } = state;
  const given = isAuthentic && lastAnswer ? await givenAnswers(store, state, [lastAnswer]) : undefined;
  const details = lastAnswer && given?.get(lastAnswer);
  const whole = statusOf(state, runnable.navigator, {
    children,
    gates,
    enforcement,
    evidence,
    artifacts: isAuthentic ? artifactsOf(runnable, state) : [],
    ...defined({ given: details }),
  });
  const status = { ...whole, ...marksOf(session) };
  // Every other call on such a session is refused.
  if (!isAuthentic) return { ...status, next: [] };
  return { ...status, ...((await isAlone({ vault, state, agent }, children)) && { isAlone: true }) };
}

/** Returns the paths of the files that the completed activities were to write. */
function artifactsOf(runnable: Runnable, { completed, variables }: SessionState): readonly string[] {
  if (runnable.kind === 'steps') return [];
  const { workflow } = runnable;
  const parts = workflow.activities.filter(({ id }) => completed.includes(id));
  const artifacts = parts.flatMap((part) => artifactPaths(workflow, part, variables));
  return [...new Set(artifacts.map(({ path }) => path))];
}
