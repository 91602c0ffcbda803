import type { PlannedActivity, SessionHistory } from '@workflowlookup/core/operator';
import type {
  NodeState,
  SessionDiagramNode,
  SessionDiagram,
  Diagram,
  DiagramKind,
  DiagramNode,
} from './diagram.ts';
import type { SessionPath } from './session-path.ts';
import {
  followPath,
  chosenIn,
  checkpointNodes,
  stepNode,
  stepOfActivity,
  reachedNodes,
} from './session-path.ts';
import { nodeId } from './diagram.ts';

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
export function drawSession(picture: Diagram, story: SessionHistory): SessionDiagram {
  const trail = followPath(picture, reachedNodes(picture, story), insideSkipped(picture, story));
  const facts = gatherFacts(picture, story, trail);
  return {
    ...picture,
    nodes: picture.nodes.map((node) => ({ ...node, ...paintNode(node, facts) })),
    edges: [
      ...picture.edges.map((edge) => ({ ...edge, taken: trail.taken.get(edge.id) ?? 0 })),
      ...trail.leaps,
    ],
  };
}

/** Returns whether a node is in an activity that the session skipped for good. */
function insideSkipped({ nodes }: Diagram, { plan }: SessionHistory): (id: string) => boolean {
  const skipped = plan.filter(({ standing }) => standing === 'skipped');
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
  gate: paintGate,
  loop: paintLoop,
  missing: () => ({ state: 'skipped', visits: 0, why: "it can't be used" }),
  round: paintJoint,
  start: (_node, { story, isOver }) => ({
    state: story.moves.length > 0 || isOver ? 'done' : 'current',
    visits: 1,
  }),
  step: (node, facts) => (facts.picture.workflow.kind === 'steps' ? paintPlace : paintPart)(node, facts),
};

function paintNode(node: DiagramNode, facts: Facts): Paint {
  return painters[node.kind](node, facts);
}

function paintPlace({ id, ref = '' }: DiagramNode, facts: Facts): Paint {
  const visits = facts.visits.get(id) ?? 0;
  if (id === facts.current) return paintHere(facts, visits);
  if (visits > 0) return { state: 'done', visits };
  const planned = facts.plans.get(ref);
  if (planned?.standing === 'skipped') return { state: 'skipped', visits, ...whyOf(planned) };
  return { state: facts.isOver ? 'skipped' : 'planned', visits };
}

function paintHere({ refusal }: Facts, visits: number): Paint {
  if (refusal === undefined) return { state: 'current', visits };
  return { state: 'refused', visits, ...(refusal === '' ? {} : { why: refusal }) };
}

/**
 * Paints a part of an activity. It is done if a manifest accounts for it, and otherwise shares the state of the
 * activity.
 */
function paintPart(node: DiagramNode, facts: Facts): Paint {
  const visits = facts.visits.get(node.id) ?? 0;
  if (visits > 0) return { state: 'done', visits };
  const around = paintAround(node, facts);
  if (around.state === 'skipped') return { state: 'skipped', visits, ...whyOf(around) };
  if (around.state !== 'done') return { state: 'planned', visits };
  const why = node.when === undefined ? {} : { why: `its condition did not hold: ${node.when}` };
  return { state: 'skipped', visits, ...why };
}

function paintGate(node: DiagramNode, facts: Facts): Paint {
  const asked = facts.story.gates.filter((wait) => checkpointNodes(facts.picture, wait).includes(node.id));
  const visits = asked.length;
  const answers = asked.flatMap(chosenIn);
  const given = answers.length === 0 ? {} : { answers };
  if (facts.waits.has(node.id)) return { ...paintHere(facts, visits), ...given };
  return visits > 0 ? { state: 'done', visits, ...given } : paintPart(node, facts);
}

/** Paints a node between steps. It was visited, or shares the state of what it belongs to. */
function paintJoint(node: DiagramNode, facts: Facts): Paint {
  const passes = facts.trail.passes.get(node.id) ?? 0;
  if (passes > 0) {
    return { state: 'done', visits: node.kind === 'round' ? roundsBegun(facts, node.id) : passes };
  }
  const around = paintAround(node, facts);
  const isPast = around.state === 'done' || around.state === 'skipped';
  return isPast ? { state: 'skipped', visits: 0, ...whyOf(around) } : { state: 'planned', visits: 0 };
}

/** Returns the state of the step of a checkpoint, of the surrounding activity, or of the session. */
function paintAround({ id, kind, parent }: DiagramNode, facts: Facts): Pick<Paint, 'state' | 'why'> {
  const stepId = id.replace(/^gate:/, 'step:').replace(/\/[^/]*$/, '');
  const step = kind === 'gate' ? facts.nodes.get(stepId) : undefined;
  const above = step ?? (parent === undefined ? undefined : facts.nodes.get(parent));
  if (above === undefined) return { state: facts.isOver ? 'skipped' : 'planned' };
  return above.kind === 'loop' ? paintAround(above, facts) : paintNode(above, facts);
}

/** A loop is as far as the furthest in it. */
function paintLoop({ id }: DiagramNode, facts: Facts): Paint {
  const isPart = ({ parent, kind }: DiagramNode): boolean =>
    parent === id && kind !== 'round' && kind !== 'choice';
  const parts = facts.picture.nodes.filter(isPart).map((node) => paintNode(node, facts));
  const visits = roundsBegun(facts, id.replace(/^loop:/, 'round:'));
  const state = furthest(parts.map((part) => part.state));
  const reason = parts.find(({ why }) => why !== undefined);
  return { state, visits, ...(state === 'skipped' ? whyOf(reason) : {}) };
}

function furthest(states: readonly NodeState[]): NodeState {
  const reached = (['refused', 'current', 'done'] as const).find((state) => states.includes(state));
  return reached ?? (states.every((state) => state === 'skipped') ? 'skipped' : 'planned');
}

function whyOf({ why }: { readonly why?: string } = {}): Pick<Paint, 'why'> {
  return why === undefined ? {} : { why };
}

/** The history of a session by the nodes of its diagram. */
interface Facts {
  readonly picture: Diagram;
  readonly story: SessionHistory;
  readonly trail: SessionPath;
  readonly nodes: ReadonlyMap<string, DiagramNode>;
  /** Activities and steps as they were planned, by the id their author gave them. */
  readonly plans: ReadonlyMap<string, PlannedActivity>;
  /** How often activities were entered and steps done. */
  readonly visits: ReadonlyMap<string, number>;
  /** The session is completed or abandoned. */
  readonly isOver: boolean;
  readonly isEnded: boolean;
  readonly current: string | undefined;
  /** The gates it waits at: one, but for a checkpoint that several steps name. */
  readonly waits: ReadonlySet<string>;
  /** The refusal after the last event: its message, or an empty text if that was not stored. */
  readonly refusal: string | undefined;
}

function gatherFacts(picture: Diagram, story: SessionHistory, trail: SessionPath): Facts {
  const { session, outcome, plan, moves, gates, refusals } = story;
  const isOver = session.status === 'completed';
  const isEnded = isOver && outcome === undefined;
  const last = isEnded ? undefined : moves.at(-1)?.to;
  const refused = isOver ? undefined : refusals.findLast(({ rev }) => rev === session.revision);
  const waiting = isOver ? undefined : gates.findLast(({ answered }) => answered === undefined);
  return {
    picture,
    story,
    trail,
    nodes: new Map(picture.nodes.map((node) => [node.id, node])),
    plans: new Map(plan.map((planned) => [planned.id, planned])),
    visits: countVisits(picture, story),
    isOver,
    isEnded,
    current: last === undefined ? undefined : placeOf(picture, last),
    waits: new Set(waiting === undefined ? [] : checkpointNodes(picture, waiting)),
    refusal: refused && (refused.err ?? ''),
  };
}

function placeOf({ workflow }: Diagram, id: string): string {
  return workflow.kind === 'steps' ? stepNode(id) : nodeId('activity', id);
}

function countVisits(picture: Diagram, { moves }: SessionHistory): ReadonlyMap<string, number> {
  const visits = new Map<string, number>();
  const visit = (id: string | undefined): void => {
    if (id !== undefined) visits.set(id, (visits.get(id) ?? 0) + 1);
  };
  for (const { from, to, steps } of moves) {
    if (to !== undefined) visit(placeOf(picture, to));
    if (picture.workflow.kind === 'steps' || from === undefined) continue;
    for (const name of steps) visit(stepOfActivity(picture.nodes, from, name));
  }
  return visits;
}

/** How many rounds began at a node. */
function roundsBegun({ picture, trail }: Facts, round: string): number {
  const begun = picture.edges.filter(({ kind, from }) => kind === 'round' && from === round);
  return begun.reduce((sum, { id }) => sum + (trail.taken.get(id) ?? 0), 0);
}
