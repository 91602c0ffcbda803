import type { ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';
import { WorkflowError, initialActivityOf } from '@workflowlookup/schema';
import { graphNavigator } from '../navigation/graph-navigator.ts';
import type { Assignment, CandidateTransition, Navigator, SessionPosition } from '../navigation/navigator.ts';
import { visitsOf } from '../session/evolve.ts';
import type { LegalTransition } from '../session/evaluate-move.ts';
import { legalTransitions } from '../session/evaluate-move.ts';
import type { UndecidedStep } from '../steps/next-step.ts';
import { composeActivity } from './compose-activity.ts';
import { composeEnd } from './guidance.ts';
import type { Lookup, Metadata, NextReply, NextRequest } from './lookup.ts';
import type { CallHistory } from './read-history.ts';
import { findJudged, readHistory, variablesFrom } from './read-history.ts';
import { nextMessages } from '../messages/lookup.ts';

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
  const trail = readHistory(workflow, navigator, request);
  const next = nextActivity(navigator, trail.at);
  if (next.id === undefined) return endOf(next, trail);
  const part = partOf({ workflow, navigator }, next.id);
  const { undecided, ...handout } = composeActivity({ workflow, navigator, part }, trail.at, next.sets);
  return {
    ...handout,
    isComplete: false,
    ...remarks(trail.warnings, [...next.undecided, ...undecided]),
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
  const rounds = exhausted.map((id) => nextMessages.endedByLimit(id, mostVisits));
  return {
    step: null,
    guidance: { prompt: rounds.length === 0 ? composeEnd(undecided) : rounds.join('\n') },
    isComplete: true,
    ...remarks([...warnings, ...rounds], undecided),
  };
}

function remarks(
  warnings: readonly string[],
  undecided: NonNullable<NextReply['undecided']>,
): Pick<NextReply, 'undecided' | 'warnings'> {
  return { ...(warnings.length > 0 && { warnings }), ...(undecided.length > 0 && { undecided }) };
}

/** Returns the metadata of an activity workflow without its activities. */
function activityMetadata({ id, definition, activities }: ActivityWorkflow): Metadata {
  const { title, description = '', version, tags, variables, enforcement } = definition;
  return {
    id,
    name: title,
    description,
    version,
    ...(tags !== undefined && { tags }),
    ...(variables !== undefined && { variables }),
    ...(enforcement !== undefined && { enforcement }),
    totalSteps: activities.length,
  };
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
  const ways = legalTransitions(navigator, at, { ahead });
  const isExhausted = ({ target }: LegalTransition): boolean =>
    target.kind === 'activity' && visitsOf(at.visits, target.id) >= mostVisits;
  const way = ways.find((candidate) => !isExhausted(candidate));
  const passed = way?.move === undefined ? ahead.moves : ahead.moves.slice(0, ahead.moves.indexOf(way.move));
  return {
    ...(way?.target.kind === 'activity' && { id: way.target.id }),
    sets: way?.move?.sets ?? [],
    undecided: undecidedAmong(passed, way?.move?.target),
    exhausted: way === undefined ? namesOf(ways.filter(isExhausted)) : [],
  };
}

function namesOf(ways: readonly LegalTransition[]): readonly string[] {
  return [...new Set(ways.flatMap(({ target }) => (target.kind === 'activity' ? [target.id] : [])))];
}

function undecidedAmong(
  moves: readonly CandidateTransition[],
  taken: string | undefined,
): readonly UndecidedStep[] {
  const byTarget = new Map<string, Set<string>>();
  for (const { target, undecided } of moves) {
    if (target === taken) continue;
    for (const variable of undecided) byTarget.set(target, (byTarget.get(target) ?? new Set()).add(variable));
  }
  return [...byTarget].map(([stepId, names]) => ({ stepId, variables: [...names] }));
}
