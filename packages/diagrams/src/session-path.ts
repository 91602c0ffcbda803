import { parseInstanceId } from '@workflowlookup/core/decisions';
import type { CheckpointWait, SessionHistory, SessionHistoryMove } from '@workflowlookup/core/operator';
import { entranceOf, nodeId } from './diagram.ts';
import type { Diagram, DiagramEdge, DiagramKind, DiagramNode, SessionDiagramEdge } from './diagram.ts';

/** A node that a session reached, and the answers given before it. */
interface ReachedNode {
  readonly node: string;
  readonly answers: readonly string[];
  /** The nodes at which the previous activity may have been left, the most likely first. */
  readonly by?: readonly string[];
}

/** The nodes a session came to, from the start on, in order. */
export function reachedNodes(picture: Diagram, { moves, gates }: SessionHistory): readonly ReachedNode[] {
  const isSteps = picture.workflow.kind === 'steps';
  const stops: ReachedNode[] = [{ node: 'start', answers: [] }];
  for (const [at, move] of moves.entries()) {
    const since = moves[at - 1]?.revision ?? 0;
    const asked = gates.filter(({ revision }) => revision > since && revision < move.revision);
    const node = move.to === undefined ? 'end' : entranceIn(picture, move.to);
    const by = isSteps || move.from === undefined ? {} : { by: exitsOf(picture, move.from) };
    stops.push(...(isSteps ? confirmations(asked) : partsDone(picture, move, asked)));
    stops.push({ node, answers: asked.flatMap(chosenIn), ...by });
  }
  return stops;
}

export function stepNode(instance: string): string {
  const { rounds, stepId } = parseInstanceId(instance) ?? { rounds: [], stepId: instance };
  return nodeId('step', ...rounds.map(({ loopId }) => loopId), stepId);
}

/** The id of the option an answer chose. */
export function chosenIn({ answered }: CheckpointWait): readonly string[] {
  const { answer } = answered ?? {};
  return answer === undefined || answer.kind === 'dismissed' ? [] : [answer.option];
}

export function checkpointNodes(
  { nodes, workflow }: Diagram,
  { activity, checkpoint }: Pick<CheckpointWait, 'activity' | 'checkpoint'>,
): readonly string[] {
  if (workflow.kind === 'steps') return [confirmation(activity)];
  const prefix = `${nodeId('gate', activity)}/`;
  const isIt = ({ kind, id, ref }: DiagramNode): boolean =>
    kind === 'gate' && ref === checkpoint && id.startsWith(prefix);
  return nodes.filter(isIt).map(({ id }) => id);
}

function confirmation(instance: string): string {
  return `${stepNode(instance).replace(/^step:/, 'gate:')}/confirm`;
}

function entranceIn({ nodes, workflow }: Diagram, id: string): string {
  return workflow.kind === 'steps' ? stepNode(id) : entranceOf(nodes, nodeId('activity', id));
}

/** A step that is left was confirmed, or sent back and confirmed after that. */
function confirmations(asked: readonly CheckpointWait[]): readonly ReachedNode[] {
  return asked.flatMap((wait) => {
    const answers = chosenIn(wait);
    const gate = { node: confirmation(wait.activity), answers: [] };
    if (answers.length === 0) return [];
    return answers.includes('revise') ? [gate, { node: stepNode(wait.activity), answers }] : [gate];
  });
}

/** The steps of the activity that is left, each with the checkpoint it stopped at. */
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
    const prefix = `${step.replace(/^step:/, 'gate:')}/`;
    const gate = nodes.find(
      ({ id, kind, ref = '' }) => kind === 'gate' && id.startsWith(prefix) && answered.has(ref),
    );
    return [step, ...(gate === undefined ? [] : [gate.id])].map((node) => ({ node, answers }));
  });
}

/** Returns the nodes at which an activity is left: rounds of its loops over activities, or its exit. */
function exitsOf({ nodes }: Diagram, activity: string): readonly string[] {
  const group = nodeId('activity', activity);
  const rounds = nodes.filter(({ kind, parent }) => kind === 'round' && parent === group);
  return [...rounds.map(({ id }) => id), nodeId('exit', activity)];
}

/** The node of a step as a manifest names it: by its id, or with its loop as `loop-id@0::step-id`. */
export function stepOfActivity(
  nodes: readonly DiagramNode[],
  activity: string,
  name: string,
): string | undefined {
  const [step = '', loop] = name.split('::').toReversed();
  const inLoop = loop?.replace(/@\d+$/, '');
  const within = inLoop === undefined ? [activity] : [activity, inLoop];
  const exact = nodeId('step', ...within, step);
  if (nodes.some(({ id }) => id === exact)) return exact;
  const prefix = `${nodeId('step', activity)}/`;
  return nodes.find(({ id, kind, ref }) => kind === 'step' && ref === step && id.startsWith(prefix))?.id;
}

/** The path of a session through a diagram. */
export interface SessionPath {
  /** How often each node was visited. */
  readonly passes: ReadonlyMap<string, number>;
  /** How often each edge was taken. */
  readonly taken: ReadonlyMap<string, number>;
  readonly leaps: readonly SessionDiagramEdge[];
}

/**
 * Follows a session from stop to stop along the edges, choosing the shortest path if there are several. The content of
 * a skipped activity is not visited.
 */
export function followPath(
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

/** Nodes that lie between steps and are passed without a trace of their own. */
const between: ReadonlySet<DiagramKind> = new Set(['choice', 'decision', 'round']);

/**
 * Finds the shortest paths through a diagram that visit no step and no checkpoint or, if there is none, a path through
 * skipped activities.
 */
function createRouter(picture: Diagram, isPassedOver: (id: string) => boolean): Router {
  const direct = createSearch(picture, () => false);
  const roundabout = createSearch(picture, isPassedOver);
  return (from, stop) => direct(from, stop) ?? roundabout(from, stop);
}

function createSearch({ nodes, edges }: Diagram, isOpen: (id: string) => boolean): Router {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const leaving = new Map<string, DiagramEdge[]>();
  for (const edge of edges) leaving.set(edge.from, [...(leaving.get(edge.from) ?? []), edge]);

  /**
   * The last activity of a loop has the transitions of the activity that has the loop, through the loop's round or that
   * activity's exit.
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
