import type { Activity, ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';
import {
  WorkflowError,
  defined,
  didYouMean,
  initialActivityOf,
  unlessEmpty,
  walkActivitySteps,
} from '@workflowlookup/schema';
import { describeCriteria } from '@workflowlookup/validation';
import { artifactPaths, fillText } from '../library/texts.ts';
import { activityTexts, headings, stepTexts } from '../messages/instructions.ts';
import { nextMessages } from '../messages/lookup.ts';
import { graphNavigator } from '../navigation/graph-navigator.ts';
import type { Assignment, CandidateTransition, Navigator, SessionPosition } from '../navigation/navigator.ts';
import { startSession } from '../session/decide.ts';
import type { LegalTransition } from '../session/evaluate-move.ts';
import { legalTransitions } from '../session/evaluate-move.ts';
import { visitsOf } from '../session/evolve.ts';
import type { Values } from '../session/session-state.ts';
import { assign, skippedActivities } from '../session/session-state.ts';
import type { UndecidedStep } from '../navigation/next-step.ts';
import { groupUndecided, parseInstanceId, warnOfUnknown } from '../navigation/next-step.ts';
import type { ActivityContext } from './describe-activity.ts';
import {
  describeActions,
  describeOpening,
  describeQuestions,
  describeDecidingVariables,
  describeWork,
  questionsOf,
  activityContextOf,
  conditionStateOfStep,
  judgedId,
} from './describe-activity.ts';
import type {
  Guidance,
  Instructions,
  JudgedStep,
  Lookup,
  Metadata,
  NextReply,
  NextRequest,
} from './lookup.ts';
import { notFound, section } from './lookup.ts';

/**
 * Creates the lookup tools of an activity workflow. Each activity is a step, and the only known history is the content
 * of the call.
 *
 * @see docs/tools.md#workflow_next
 */
export function activityLookup(workflow: ActivityWorkflow): Lookup {
  const graph = { workflow, navigator: graphNavigator(workflow) };
  return {
    metadata: () => activityMetadata(workflow),
    preview: () => ({ ...activityMetadata(workflow), firstStep: firstStep(graph) }),
    next: (request) => answer(graph, request),
    step: (stepId) => findJudged(workflow, stepId),
    variables: (context) => variablesFrom(graph.navigator, context),
  };
}

interface Graph {
  readonly workflow: ActivityWorkflow;
  readonly navigator: Navigator;
}

function firstStep(graph: Graph): NextReply['step'] {
  const id = initialActivityOf(graph.workflow);
  if (id === undefined || graph.navigator.absence(id) !== undefined) return null;
  return answer(graph, { workflowId: graph.workflow.id, completedSteps: [] }).step;
}

function answer({ workflow, navigator }: Graph, request: NextRequest): NextReply {
  const history = readHistory(workflow, navigator, request);
  const next = nextActivity(navigator, history.at);
  if (next.id === undefined) return endOf(next, history);
  const part = partOf({ workflow, navigator }, next.id);
  const { undecided, ...handout } = composeActivity({ workflow, navigator, part }, history.at, next.sets);
  return {
    ...handout,
    isComplete: false,
    ...defined({
      warnings: unlessEmpty(history.warnings),
      undecided: unlessEmpty([...next.undecided, ...undecided]),
    }),
  };
}

function partOf({ workflow, navigator }: Graph, id: string): ActivityPart {
  const part = workflow.activities.find((candidate) => candidate.id === id);
  if (part !== undefined) return part;
  const reason = navigator.absence(id) ?? nextMessages.noActivity(id);
  throw new WorkflowError('INVALID_WORKFLOW', nextMessages.cannotContinue(workflow.id, reason), {
    data: { workflowId: workflow.id, stepId: id },
  });
}

function endOf({ undecided, exhausted }: NextActivity, { warnings }: CallHistory): NextReply {
  const limits = exhausted.map((id) => nextMessages.endedByLimit(id, mostVisits));
  return {
    step: null,
    guidance: { prompt: limits.length === 0 ? stepTexts.end(undecided) : limits.join('\n') },
    isComplete: true,
    ...defined({ warnings: unlessEmpty([...warnings, ...limits]), undecided: unlessEmpty(undecided) }),
  };
}

/** Returns the metadata of an activity workflow without its activities. */
function activityMetadata({ id, definition, activities }: ActivityWorkflow): Metadata {
  const { title, description = '', version, tags, variables, enforcement } = definition;
  const totalSteps = activities.length;
  return { id, name: title, description, version, ...defined({ tags, variables, enforcement }), totalSteps };
}

/** The position of a caller, as far as the call shows it. */
interface CallHistory {
  readonly at: SessionPosition;
  /** Completed ids that were ignored, and why. */
  readonly warnings: readonly string[];
}

/**
 * Reads a call of the lookup tools as a walk from the beginning: completed ids in the given order, one for each time an
 * activity was done, and then the current one. Apart from defaults, only the variables of the context are known.
 *
 * @throws WorkflowError STEP_NOT_FOUND for an unknown current activity
 * @see docs/tools.md#workflow_next
 */
function readHistory(
  workflow: ActivityWorkflow,
  navigator: Navigator,
  { currentStep, completedSteps, context = {} }: NextRequest,
): CallHistory {
  const ids = new Set(workflow.activities.map(({ id }) => id));
  if (currentStep !== undefined && !ids.has(currentStep)) throw activityNotFound(workflow, currentStep);
  const done = completedSteps.filter((id) => ids.has(id));
  const isAgain = currentStep !== undefined && done.at(-1) !== currentStep;
  const visited = isAgain ? [...done, currentStep] : done;
  const variables = variablesFrom(navigator, context);
  const skipped = skippedActivities(navigator, [], variables);
  const loops = loopsAlong(navigator, visited, { variables, skipped });
  const at = {
    current: visited.at(-1),
    completed: [...new Set(done)],
    visits: countEach(visited),
    ...defined({ loops }),
    skipped,
    variables,
  };
  const strangers = new Set(completedSteps.filter((id) => !ids.has(id)));
  return { at, warnings: warnOfUnknown(strangers, (id) => ignored(id, ids)) };
}

/** Returns the variables: the caller's values over the defaults of the workflow and of active modes. */
function variablesFrom(navigator: Navigator, context: NonNullable<NextRequest['context']>): Values {
  // A caller's context is JSON.
  return startSession(navigator, { variables: context as Values }).variables;
}

/** Returns the running loops over activities at the end of a walk, or `undefined` if the workflow has none. */
function loopsAlong(
  navigator: Navigator,
  visited: readonly string[],
  by: Pick<SessionPosition, 'variables' | 'skipped'>,
): SessionPosition['loops'] {
  const start: SessionPosition = { current: undefined, completed: [], visits: {}, ...by };
  if (navigator.loopsAt(start) === undefined) return undefined;
  let at: SessionPosition = { ...start, loops: [] };
  for (const id of visited) {
    const moves = navigator.ahead(at).moves.filter(({ target }) => target === id);
    // A transition may have been open then although it is closed with the current values.
    const move = moves.find(({ holds }) => holds) ?? moves[0];
    const loops = move === undefined ? at.loops : navigator.loopsAfter(at, id, move);
    const visits = { ...at.visits, [id]: visitsOf(at.visits, id) + 1 };
    at = { ...at, current: id, visits, ...defined({ loops }) };
  }
  return at.loops;
}

function countEach(ids: readonly string[]): SessionPosition['visits'] {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function ignored(id: string, ids: ReadonlySet<string>): string {
  const around = parseInstanceId(id)?.iterations[0]?.loopId;
  return around !== undefined && ids.has(around)
    ? nextMessages.stepOfActivity(id, around)
    : nextMessages.unknownActivity(id);
}

function activityNotFound(workflow: ActivityWorkflow, id: string): WorkflowError {
  const within = parseInstanceId(id)?.iterations[0]?.loopId;
  const ids = workflow.activities.map((activity) => activity.id);
  const nearest = within !== undefined && ids.includes(within) ? within : didYouMean(id, ids);
  return notFound(workflow.id, 'activity', id, nearest);
}

/**
 * Maximum number of times that one activity may come up, because transitions back to it may depend on variables that a
 * caller never changes.
 */
const mostVisits = 100;

/** The next activity of a graph, or its end. */
interface NextActivity {
  /** Absent if no transition is open. */
  readonly id?: string;
  /** Variables that the transition sets. */
  readonly sets: readonly Assignment[];
  /** Transitions that would have been taken before this one if their variables were set, by target. */
  readonly undecided: readonly UndecidedStep[];
  /** Activities that have a transition to them but came up as often as allowed. */
  readonly exhausted: readonly string[];
}

/**
 * Returns the first legal transition from a caller's position.
 *
 * @throws WorkflowError INVALID_WORKFLOW if there is no activity to start with
 * @see docs/tools.md#workflow_next
 */
function nextActivity(navigator: Navigator, at: SessionPosition): NextActivity {
  const ahead = navigator.ahead(at);
  if (ahead.obstacle !== undefined) throw new WorkflowError('INVALID_WORKFLOW', ahead.obstacle);
  const transitions = legalTransitions(navigator, at, ahead);
  const isExhausted = ({ target }: LegalTransition): boolean =>
    target.kind === 'activity' && visitsOf(at.visits, target.id) >= mostVisits;
  const transition = transitions.find((candidate) => !isExhausted(candidate));
  const passed =
    transition?.move === undefined ? ahead.moves : ahead.moves.slice(0, ahead.moves.indexOf(transition.move));
  return {
    ...(transition?.target.kind === 'activity' && { id: transition.target.id }),
    sets: transition?.move?.sets ?? [],
    undecided: undecidedAmong(passed, transition?.move?.target),
    exhausted: transition === undefined ? namesOf(transitions.filter(isExhausted)) : [],
  };
}

function namesOf(transitions: readonly LegalTransition[]): readonly string[] {
  return [...new Set(transitions.flatMap(({ target }) => (target.kind === 'activity' ? [target.id] : [])))];
}

function undecidedAmong(
  moves: readonly CandidateTransition[],
  taken: string | undefined,
): readonly UndecidedStep[] {
  const others = moves.filter(({ target }) => target !== taken);
  return groupUndecided(others.map(({ target, undecided }) => ({ stepId: target, variables: undecided })));
}

/** An activity that comes next. */
interface ActivityToDo {
  readonly workflow: ActivityWorkflow;
  readonly navigator: Navigator;
  readonly part: ActivityPart;
}

/** An activity as it is given to an agent, and its steps that an unset variable kept out of it. */
interface ActivityInstructions extends Instructions {
  readonly undecided: readonly UndecidedStep[];
}

/**
 * Composes the text of an activity: on the first call the rules of the whole workflow, then the purpose of the
 * activity, its rules, steps, questions and transitions. `sets` has the variables that the transition sets.
 *
 * @see docs/tools.md#workflow_next
 */
function composeActivity(
  { workflow, navigator, part }: ActivityToDo,
  at: SessionPosition,
  sets: readonly Assignment[],
): ActivityInstructions {
  const { id, definition } = part;
  const given = assign([...sets, ...navigator.sets(id, 'entry')], at.variables);
  const visit = visitsOf(at.visits, id);
  const activityContext = activityContextOf(definition, { ...at.variables, ...given }, visit);
  const fill = (sections: readonly string[]): string =>
    fillText(sections.join('\n\n'), activityContext.variables);
  const prompt = [
    ...(visit > 0 ? [activityTexts.again] : []),
    fill(purposeOf(definition)),
    ...(Object.keys(given).length === 0 ? [] : [activityTexts.putFirst(given)]),
    fill([
      ...describeWork(activityContext),
      ...describeQuestions(questionsOf(activityContext)),
      ...closingOf(workflow, part, activityContext),
    ]),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
  const isFirst = at.current === undefined;
  const opening = isFirst ? [fill(describeOpening(workflow))].filter((text) => text !== '') : [];
  return {
    step: { id, title: fill([definition.name]), prompt },
    guidance: { prompt: [...opening, prompt].join('\n\n'), ...factsOf(activityContext) },
    undecided: undecidedSteps(activityContext),
  };
}

function purposeOf({ description, problem, rules }: Activity): readonly string[] {
  const texts = [problem, description].filter((text) => text !== undefined);
  return [...texts, ...section(headings.rules, rules)];
}

function closingOf(workflow: ActivityWorkflow, part: ActivityPart, at: ActivityContext): readonly string[] {
  const { definition } = part;
  const { triggers, exitActions, outcome, context_to_preserve: kept, operations } = definition;
  const artifacts = artifactPaths(workflow, part, at.variables).map(({ id, path }) => `${path} (${id})`);
  return [
    ...(operations === undefined ? [] : [activityTexts.operations(operations)]),
    ...section(headings.triggers, triggers?.map(activityTexts.trigger)),
    ...section(headings.outcome, outcome),
    ...section(headings.artifacts, artifacts),
    ...section(headings.exitActions, describeActions(exitActions)),
    ...section(headings.keptVariables, kept),
    ...describeDecidingVariables(workflow, definition),
  ];
}

function factsOf(activityContext: ActivityContext): Omit<Guidance, 'prompt'> {
  const { activity, visit } = activityContext;
  const criteria = [...walkActivitySteps(activity)].flatMap(({ step }) => {
    if (step.validationCriteria === undefined || conditionStateOfStep(step, activityContext).kind === 'fails')
      return [];
    const sentences = describeCriteria(step.validationCriteria);
    return sentences.length === 0 ? [] : [`${judgedId(activity.id, visit, step)}: ${sentences.join(' ')}`];
  });
  return defined({
    requiresConfirmation: activity.checkpoints && questionsOf(activityContext).length > 0,
    validationCriteria: unlessEmpty(criteria),
  });
}

function undecidedSteps(activityContext: ActivityContext): readonly UndecidedStep[] {
  const { activity, visit } = activityContext;
  return [...walkActivitySteps(activity)].flatMap(({ step }) => {
    const conditionState = conditionStateOfStep(step, activityContext);
    const variables = conditionState.kind === 'fails' ? conditionState.undecided : [];
    return variables.length === 0 ? [] : [{ stepId: judgedId(activity.id, visit, step), variables }];
  });
}

/** An activity as a whole has no criteria. */
const withoutCriteria: JudgedStep = {};

/**
 * Returns the step or activity that an output is judged by: `activity@0::step`, in a loop also
 * `activity@0::loop@2::step`, or an activity alone.
 *
 * @throws WorkflowError STEP_NOT_FOUND with the nearest id there is
 */
function findJudged(workflow: ActivityWorkflow, id: string): JudgedStep {
  const { iterations = [], stepId = '' } = parseInstanceId(id) ?? {};
  const [visit, inner, ...deeper] = iterations;
  const activity = workflow.activities.find((part) => part.id === (visit?.loopId ?? stepId));
  if (visit === undefined && activity !== undefined) return withoutCriteria;
  const step = [...(activity === undefined ? [] : walkActivitySteps(activity.definition))].find(
    (walked) =>
      walked.step.id === stepId &&
      deeper.length === 0 &&
      (inner === undefined || inner.loopId === walked.loop?.id),
  )?.step;
  if (visit === undefined || step === undefined) throw stepNotFound(workflow, id);
  return step;
}

function stepNotFound(workflow: ActivityWorkflow, id: string): WorkflowError {
  const known = workflow.activities.flatMap(({ id: activityId, definition }) => [
    activityId,
    ...[...walkActivitySteps(definition)].map(({ step }) => judgedId(activityId, 0, step)),
  ]);
  const nearest = known.find((candidate) => candidate.endsWith(`::${id}`)) ?? didYouMean(id, known);
  return notFound(workflow.id, 'step', id, nearest);
}
