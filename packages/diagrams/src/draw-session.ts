import { parseInstanceId } from '@workflowlookup/core/decisions';
import { defined, groupBy, unlessEmpty } from '@workflowlookup/schema';
import type {
  CheckpointWait,
  SessionHistory,
  SessionHistoryMove,
  PlannedActivity,
} from '@workflowlookup/core/operator';
import type {
  Diagram,
  DiagramEdge,
  DiagramKind,
  DiagramNode,
  SessionDiagramEdge,
  NodeState,
  SessionDiagramNode,
  SessionDiagram,
} from './diagram.ts';
import { entranceOf, nodeId } from './diagram.ts';
import { labels } from './messages.ts';

/** A node that a session reached, and the answers given before it. */
interface ReachedNode {
  readonly node: string;
  readonly answers: readonly string[];
  /** The nodes at which the previous activity may have been left, the most likely first. */
  readonly by?: readonly string[];
}

/** Returns the nodes that a session reached, in order from the start. */
function reachedNodes(picture: Diagram, { moves, checkpoints }: SessionHistory): readonly ReachedNode[] {
  const isSteps = picture.workflow.kind === 'steps';
  const stops: ReachedNode[] = [{ node: 'start', answers: [] }];
  for (const [at, move] of moves.entries()) {
    const since = moves[at - 1]?.revision ?? 0;
    const asked = checkpoints.filter(({ revision }) => revision > since && revision < move.revision);
    const node = move.to === undefined ? 'end' : entranceOf(picture.nodes, placeOf(picture, move.to));
    const by = isSteps || move.from === undefined ? {} : { by: exitsOf(picture, move.from) };
    stops.push(...(isSteps ? confirmations(asked) : partsDone(picture, move, asked)));
    stops.push({ node, answers: asked.flatMap(chosenIn), ...by });
  }
  return stops;
}

function stepNode(instance: string): string {
  const { iterations, stepId } = parseInstanceId(instance) ?? { iterations: [], stepId: instance };
  return nodeId('step', ...iterations.map(({ loopId }) => loopId), stepId);
}

/** The id of the option an answer chose. */
function chosenIn({ answered }: CheckpointWait): readonly string[] {
  const { answer } = answered ?? {};
  return answer === undefined || answer.kind === 'dismissed' ? [] : [answer.option];
}

function checkpointNodes(
  { nodes, workflow }: Diagram,
  { activity, checkpoint }: Pick<CheckpointWait, 'activity' | 'checkpoint'>,
): readonly string[] {
  if (workflow.kind === 'steps') return [confirmation(activity)];
  const prefix = `${nodeId('checkpoint', activity)}/`;
  const isIt = ({ kind, id, ref }: DiagramNode): boolean =>
    kind === 'checkpoint' && ref === checkpoint && id.startsWith(prefix);
  return nodes.filter(isIt).map(({ id }) => id);
}

function confirmation(instance: string): string {
  return `${stepNode(instance).replace(/^step:/, 'checkpoint:')}/confirm`;
}

/** Returns the confirmations that were answered, each followed by its step if the answer sent the step back. */
function confirmations(asked: readonly CheckpointWait[]): readonly ReachedNode[] {
  return asked.flatMap((wait) => {
    const answers = chosenIn(wait);
    const checkpoint = { node: confirmation(wait.activity), answers: [] };
    if (answers.length === 0) return [];
    return answers.includes('revise')
      ? [checkpoint, { node: stepNode(wait.activity), answers }]
      : [checkpoint];
  });
}

/** Returns the steps done in the activity that is left, each followed by the checkpoint that it stopped at. */
function partsDone(
  { nodes }: Diagram,
  { from, steps }: SessionHistoryMove,
  asked: readonly CheckpointWait[],
): readonly ReachedNode[] {
  if (from === undefined) return [];
  const answers = asked.flatMap(chosenIn);
  const answered = new Set(asked.filter((wait) => chosenIn(wait).length > 0).map((wait) => wait.checkpoint));
  return steps.flatMap((name) => {
    const step = stepOfActivity(nodes, from, name);
    if (step === undefined) return [];
    const prefix = `${step.replace(/^step:/, 'checkpoint:')}/`;
    const checkpoint = nodes.find(
      ({ id, kind, ref = '' }) => kind === 'checkpoint' && id.startsWith(prefix) && answered.has(ref),
    );
    return [step, ...(checkpoint === undefined ? [] : [checkpoint.id])].map((node) => ({ node, answers }));
  });
}

/** Returns the nodes at which an activity is left: the `round` nodes of its loops over activities, or its exit. */
function exitsOf({ nodes }: Diagram, activity: string): readonly string[] {
  const group = nodeId('activity', activity);
  const rounds = nodes.filter(({ kind, parent }) => kind === 'round' && parent === group);
  return [...rounds.map(({ id }) => id), nodeId('exit', activity)];
}

/** The node of a step as a manifest names it: by its id, or with its loop as `loop-id@0::step-id`. */
function stepOfActivity(nodes: readonly DiagramNode[], activity: string, name: string): string | undefined {
  const [step = '', loop] = name.split('::').toReversed();
  const inLoop = loop?.replace(/@\d+$/, '');
  const within = inLoop === undefined ? [activity] : [activity, inLoop];
  const exact = nodeId('step', ...within, step);
  if (nodes.some(({ id }) => id === exact)) return exact;
  const prefix = `${nodeId('step', activity)}/`;
  return nodes.find(({ id, kind, ref }) => kind === 'step' && ref === step && id.startsWith(prefix))?.id;
}

/** The path of a session through a diagram. */
interface SessionPath {
  /** How often each node was visited. */
  readonly passes: ReadonlyMap<string, number>;
  /** How often each edge was taken. */
  readonly taken: ReadonlyMap<string, number>;
  readonly leaps: readonly SessionDiagramEdge[];
}

/**
 * Follows a session along the edges from one reached node to the next, choosing the shortest path if there are several.
 * The content of a skipped activity is not visited.
 */
function followPath(
  picture: Diagram,
  stops: readonly ReachedNode[],
  isPassedOver: (id: string) => boolean,
): SessionPath {
  const passes = new Map<string, number>();
  const taken = new Map<string, number>();
  const leaps = new Map<string, SessionDiagramEdge>();
  const route = createRouter(picture, isPassedOver);
  let here: string | undefined;
  const go = (stop: ReachedNode): void => {
    const edges = here === undefined ? [] : route(here, stop);
    for (const { id } of edges ?? []) count(taken, id);
    for (const { to } of edges?.slice(0, -1) ?? []) if (!isPassedOver(to)) count(passes, to);
    if (edges === undefined) leap(here ?? '', stop);
    if (here !== stop.node) count(passes, stop.node);
    here = stop.node;
  };
  const leap = (from: string, stop: ReachedNode): void => {
    const edge = leapOf(picture, from, stop);
    if (edge !== undefined) leaps.set(edge.id, { ...edge, taken: (leaps.get(edge.id)?.taken ?? 0) + 1 });
  };
  for (const stop of stops) {
    const left = stop.by?.find((node) => route(node, stop) !== undefined) ?? stop.by?.at(-1);
    if (left !== undefined) go({ node: left, answers: stop.answers });
    go(stop);
  }
  return { passes, taken, leaps: [...leaps.values()] };
}

function count(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}

/** Only the manifest shows what happened inside an activity, so a leap connects activities, or steps. */
function leapOf(
  { nodes, workflow }: Diagram,
  from: string,
  { node: to, by }: ReachedNode,
): SessionDiagramEdge | undefined {
  const isInside = workflow.kind === 'activities' && by === undefined;
  const known = new Set(nodes.map(({ id }) => id));
  if (isInside || !known.has(from) || !known.has(to)) return undefined;
  return { id: `leap:${from}>${to}`, from, to, kind: 'leap', taken: 0 };
}

/** Returns the edges from a node to a stop, or `undefined` if no path leads there. */
type Router = (from: string, stop: ReachedNode) => readonly DiagramEdge[] | undefined;

/** Nodes between steps. A session passes them without an event of their own. */
const between: ReadonlySet<DiagramKind> = new Set(['choice', 'decision', 'round']);

/**
 * Finds the shortest paths through a diagram that visit no step and no checkpoint. If no such path exists, finds one
 * through skipped activities.
 */
function createRouter(picture: Diagram, isPassedOver: (id: string) => boolean): Router {
  const direct = createSearch(picture, () => false);
  const roundabout = createSearch(picture, isPassedOver);
  return (from, stop) => direct(from, stop) ?? roundabout(from, stop);
}

function createSearch({ nodes, edges }: Diagram, isOpen: (id: string) => boolean): Router {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const leaving = groupBy(edges, ({ from }) => from);

  /**
   * The last activity of a loop has the transitions of the activity that has the loop, through the loop's `round` or
   * that activity's exit.
   */
  function isPassed({ from, to }: DiagramEdge): boolean {
    const { kind = 'step', parent } = known.get(to) ?? {};
    const before = known.get(from);
    return (
      isOpen(to) ||
      between.has(kind) ||
      (kind === 'exit' && before?.kind === 'round' && before.parent === parent)
    );
  }

  /** Nobody answers in a skipped activity, so its answers lead nowhere. */
  function isGone({ from, options, by }: DiagramEdge, { answers }: ReachedNode): boolean {
    if (options === undefined || options.some((option) => answers.includes(option))) return true;
    return by === undefined && isOpen(from);
  }

  return (from, stop) => {
    const seen = new Set<string>();
    const open: { readonly at: string; readonly gone: readonly DiagramEdge[] }[] = [{ at: from, gone: [] }];
    for (const { at, gone } of open) {
      for (const edge of (leaving.get(at) ?? []).filter((one) => isGone(one, stop))) {
        if (edge.to === stop.node) return [...gone, edge];
        if (seen.has(edge.to) || !isPassed(edge)) continue;
        seen.add(edge.to);
        open.push({ at: edge.to, gone: [...gone, edge] });
      }
    }
    return undefined;
  };
}

/**
 * Paints the diagram of a workflow with the history of a session. The diagram must be of the definition that the
 * session was started on.
 *
 * @example
 * ```ts
 * const history = await workflows.operator('Ada').history(session.id);
 * const diagram = drawSession(drawWorkflow(workflow), history);
 * ```
 */
export function drawSession(picture: Diagram, history: SessionHistory): SessionDiagram {
  const sessionPath = followPath(picture, reachedNodes(picture, history), insideSkipped(picture, history));
  const facts = gatherFacts(picture, history, sessionPath);
  return {
    ...picture,
    nodes: picture.nodes.map((node) => ({ ...node, ...painters[node.kind](node, facts) })),
    edges: [
      ...picture.edges.map((edge) => ({ ...edge, taken: sessionPath.taken.get(edge.id) ?? 0 })),
      ...sessionPath.leaps,
    ],
  };
}

/** Returns whether a node is in an activity that the session skipped for good. */
function insideSkipped({ nodes }: Diagram, { plan }: SessionHistory): (id: string) => boolean {
  const skipped = plan.filter(({ status }) => status === 'skipped');
  const groups = new Set(skipped.map(({ id }) => nodeId('activity', id)));
  const inside = new Set<string>();
  for (const { id, parent = '' } of nodes) if (groups.has(parent) || inside.has(parent)) inside.add(id);
  return (id) => inside.has(id);
}

type Paint = Pick<SessionDiagramNode, 'state' | 'visits' | 'why' | 'answers'>;

type Painter = (node: DiagramNode, facts: Facts) => Paint;

const painters: Readonly<Record<DiagramKind, Painter>> = {
  activity: paintPlace,
  choice: paintJoint,
  decision: paintJoint,
  end: (_node, { isEnded, isOver }) =>
    isEnded ? { state: 'done', visits: 1 } : { state: isOver ? 'skipped' : 'planned', visits: 0 },
  exit: paintJoint,
  checkpoint: paintCheckpoint,
  loop: paintLoop,
  missing: () => ({ state: 'skipped', visits: 0, why: labels.unusable }),
  round: paintJoint,
  start: (_node, { history, isOver }) => ({
    state: history.moves.length > 0 || isOver ? 'done' : 'current',
    visits: 1,
  }),
  step: (node, facts) => (facts.picture.workflow.kind === 'steps' ? paintPlace : paintPart)(node, facts),
};

function paintPlace(node: DiagramNode, facts: Facts): Paint {
  const { id, ref = '' } = node;
  const visits = facts.visits.get(id) ?? 0;
  if (id === facts.current) return paintHere(facts, visits);
  if (visits > 0) return { state: comesAgain(node, facts) ? 'planned' : 'done', visits };
  const planned = facts.plans.get(ref);
  if (planned?.status === 'skipped') return { state: 'skipped', visits, ...defined({ why: planned.why }) };
  return { state: facts.isOver ? 'skipped' : 'planned', visits };
}

/** Returns whether the session was sent back and comes to an activity of its plan again. */
export function isPlannedAgain({ status, visits }: Pick<PlannedActivity, 'status' | 'visits'>): boolean {
  return visits > 0 && (status === 'ahead' || status === 'depends');
}

/** {@link isPlannedAgain} for the activity of a node, or the one that contains it. */
function comesAgain({ kind, ref = '', parent = '' }: DiagramNode, facts: Facts): boolean {
  const around = facts.nodes.get(parent);
  if (kind !== 'activity') return around !== undefined && comesAgain(around, facts);
  const planned = facts.plans.get(ref);
  return planned !== undefined && isPlannedAgain(planned);
}

function paintHere({ refusal }: Facts, visits: number): Paint {
  if (refusal === undefined) return { state: 'current', visits };
  return { state: 'refused', visits, ...(refusal === '' ? {} : { why: refusal }) };
}

/**
 * Paints a part of an activity. It is done if a manifest names it. In the current activity, a step whose checkpoint was
 * asked is current until then. Otherwise the state depends on that of the activity. Parts that were done before the
 * session was sent back are planned again.
 */
function paintPart(node: DiagramNode, facts: Facts): Paint {
  const visits = facts.visits.get(node.id) ?? 0;
  const around = paintAround(node, facts);
  const isHere = around.state === 'current' || around.state === 'refused';
  if (visits > 0 && !isHere) return { state: comesAgain(node, facts) ? 'planned' : 'done', visits };
  if (around.state === 'skipped') return { state: 'skipped', visits, ...defined({ why: around.why }) };
  if (around.state !== 'done')
    return { state: isHere && isAsked(node, facts) ? 'current' : 'planned', visits };
  const why = node.when && labels.conditionFalse(node.when);
  return { state: 'skipped', visits, ...defined({ why }) };
}

/** Returns whether the checkpoint of a step was asked in this visit of the current activity. */
function isAsked({ id }: DiagramNode, { picture, history, since }: Facts): boolean {
  return history.checkpoints.some(
    (wait) => wait.revision > since && checkpointNodes(picture, wait).some((one) => stepOf(one) === id),
  );
}

/** Returns the id of the node of the step that has a checkpoint. */
function stepOf(checkpoint: string): string {
  return checkpoint.replace(/^checkpoint:/, 'step:').replace(/\/[^/]*$/, '');
}

function paintCheckpoint(node: DiagramNode, facts: Facts): Paint {
  const asked = facts.history.checkpoints.filter((wait) =>
    checkpointNodes(facts.picture, wait).includes(node.id),
  );
  const visits = asked.length;
  const answers = asked.flatMap(chosenIn);
  const given = defined({ answers: unlessEmpty(answers) });
  if (facts.waits.has(node.id)) return { ...paintHere(facts, visits), ...given };
  if (visits === 0) return paintPart(node, facts);
  return { state: comesAgain(node, facts) ? 'planned' : 'done', visits, ...given };
}

/**
 * Paints a node between steps. If the session did not visit it, its state depends on that of the node that it belongs
 * to.
 */
function paintJoint(node: DiagramNode, facts: Facts): Paint {
  const passes = facts.sessionPath.passes.get(node.id) ?? 0;
  if (passes > 0 && !comesAgain(node, facts))
    return { state: 'done', visits: node.kind === 'round' ? iterationsBegunAt(facts, node.id) : passes };
  const around = paintAround(node, facts);
  const isPast = around.state === 'done' || around.state === 'skipped';
  return isPast
    ? { state: 'skipped', visits: 0, ...defined({ why: around.why }) }
    : { state: 'planned', visits: 0 };
}

/** Returns the state of the step of a checkpoint, of the surrounding activity, or of the session. */
function paintAround({ id, kind, parent }: DiagramNode, facts: Facts): Pick<Paint, 'state' | 'why'> {
  const step = kind === 'checkpoint' ? facts.nodes.get(stepOf(id)) : undefined;
  const above = step ?? (parent === undefined ? undefined : facts.nodes.get(parent));
  if (above === undefined) return { state: facts.isOver ? 'skipped' : 'planned' };
  return above.kind === 'loop' ? paintAround(above, facts) : painters[above.kind](above, facts);
}

/** Paints a loop with the state of its part that got furthest. */
function paintLoop({ id }: DiagramNode, facts: Facts): Paint {
  const isPart = ({ parent, kind }: DiagramNode): boolean =>
    parent === id && kind !== 'round' && kind !== 'choice';
  const parts = facts.picture.nodes.filter(isPart).map((node) => painters[node.kind](node, facts));
  const visits = iterationsBegunAt(facts, id.replace(/^loop:/, 'round:'));
  const state = furthest(parts.map((part) => part.state));
  const reason = parts.find(({ why }) => why !== undefined);
  return { state, visits, ...defined({ why: state === 'skipped' ? reason?.why : undefined }) };
}

function furthest(states: readonly NodeState[]): NodeState {
  const reached = (['refused', 'current', 'done'] as const).find((state) => states.includes(state));
  return reached ?? (states.every((state) => state === 'skipped') ? 'skipped' : 'planned');
}

/** The history of a session by the nodes of its diagram. */
interface Facts {
  readonly picture: Diagram;
  readonly history: SessionHistory;
  readonly sessionPath: SessionPath;
  readonly nodes: ReadonlyMap<string, DiagramNode>;
  /** The plan for each activity or step, by the id that its author gave it. */
  readonly plans: ReadonlyMap<string, PlannedActivity>;
  /** How often activities were entered and steps done. */
  readonly visits: ReadonlyMap<string, number>;
  /** Whether the session is completed or abandoned. */
  readonly isOver: boolean;
  readonly isEnded: boolean;
  readonly current: string | undefined;
  /** The revision that entered the current activity. */
  readonly since: number;
  /** The checkpoint that the session waits at: one node, or one for each step that names the checkpoint. */
  readonly waits: ReadonlySet<string>;
  /** The refusal after the last event: its message, or an empty text if that was not stored. */
  readonly refusal: string | undefined;
}

function gatherFacts(picture: Diagram, history: SessionHistory, sessionPath: SessionPath): Facts {
  const { session, outcome, plan, moves, checkpoints, refusals } = history;
  const isOver = session.status === 'completed';
  const isEnded = isOver && outcome === undefined;
  const last = isEnded ? undefined : moves.at(-1)?.to;
  const refused = isOver ? undefined : refusals.findLast(({ rev }) => rev === session.revision);
  const waiting = isOver ? undefined : checkpoints.findLast(({ answered }) => answered === undefined);
  return {
    picture,
    history,
    sessionPath,
    nodes: new Map(picture.nodes.map((node) => [node.id, node])),
    plans: new Map(plan.map((planned) => [planned.id, planned])),
    visits: countVisits(picture, history),
    isOver,
    isEnded,
    current: last === undefined ? undefined : placeOf(picture, last),
    since: moves.at(-1)?.revision ?? 0,
    waits: new Set(waiting === undefined ? [] : checkpointNodes(picture, waiting)),
    refusal: refused && (refused.err ?? ''),
  };
}

function placeOf({ workflow }: Diagram, id: string): string {
  return workflow.kind === 'steps' ? stepNode(id) : nodeId('activity', id);
}

function countVisits(picture: Diagram, { moves }: SessionHistory): ReadonlyMap<string, number> {
  const visits = new Map<string, number>();
  for (const { from, to, steps } of moves) {
    if (to !== undefined) count(visits, placeOf(picture, to));
    if (picture.workflow.kind === 'steps' || from === undefined) continue;
    for (const step of steps.flatMap((name) => stepOfActivity(picture.nodes, from, name) ?? []))
      count(visits, step);
  }
  return visits;
}

/** Returns how many iterations began at a node. */
function iterationsBegunAt({ picture, sessionPath }: Facts, round: string): number {
  const begun = picture.edges.filter(({ kind, from }) => kind === 'round' && from === round);
  return begun.reduce((sum, { id }) => sum + (sessionPath.taken.get(id) ?? 0), 0);
}
