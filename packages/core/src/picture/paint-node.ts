import type { Facts } from './facts.ts';
import { roundsBegun } from './facts.ts';
import type { NodeState, PaintedNode } from './painted-picture.ts';
import type { PictureKind, PictureNode } from './picture.ts';
import { chosenIn, gateNodes } from './stops.ts';

/** What is painted on a node. */
type Paint = Pick<PaintedNode, 'state' | 'visits' | 'why' | 'answers'>;

/** Says what became of a node. */
type Painter = (node: PictureNode, facts: Facts) => Paint;

const painters: Readonly<Record<PictureKind, Painter>> = {
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

/** Says what became of a node in a session. */
export function paintNode(node: PictureNode, facts: Facts): Paint {
  return painters[node.kind](node, facts);
}

/** A place a session stands at while it works: a step of a step workflow, or an activity. */
function paintPlace({ id, ref = '' }: PictureNode, facts: Facts): Paint {
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

/** A part of an activity is done where it is accounted for; where not, it shares what became of the activity. */
function paintPart(node: PictureNode, facts: Facts): Paint {
  const visits = facts.visits.get(node.id) ?? 0;
  if (visits > 0) return { state: 'done', visits };
  const around = paintAround(node, facts);
  if (around.state === 'skipped') return { state: 'skipped', visits, ...whyOf(around) };
  if (around.state !== 'done') return { state: 'planned', visits };
  const why = node.when === undefined ? {} : { why: `its condition did not hold: ${node.when}` };
  return { state: 'skipped', visits, ...why };
}

function paintGate(node: PictureNode, facts: Facts): Paint {
  const asked = facts.story.gates.filter((wait) => gateNodes(facts.picture, wait).includes(node.id));
  const visits = asked.length;
  const answers = asked.flatMap(chosenIn);
  const given = answers.length === 0 ? {} : { answers };
  if (facts.waits.has(node.id)) return { ...paintHere(facts, visits), ...given };
  return visits > 0 ? { state: 'done', visits, ...given } : paintPart(node, facts);
}

/** What joins steps together was passed, or else shares what became of what it belongs to. */
function paintJoint(node: PictureNode, facts: Facts): Paint {
  const passes = facts.trail.passes.get(node.id) ?? 0;
  if (passes > 0) {
    return { state: 'done', visits: node.kind === 'round' ? roundsBegun(facts, node.id) : passes };
  }
  const around = paintAround(node, facts);
  const isPast = around.state === 'done' || around.state === 'skipped';
  return isPast ? { state: 'skipped', visits: 0, ...whyOf(around) } : { state: 'planned', visits: 0 };
}

/** What became of the step a gate belongs to, of the activity something stands in, or of the session. */
function paintAround({ id, kind, parent }: PictureNode, facts: Facts): Pick<Paint, 'state' | 'why'> {
  const stepId = id.replace(/^gate:/, 'step:').replace(/\/[^/]*$/, '');
  const step = kind === 'gate' ? facts.nodes.get(stepId) : undefined;
  const above = step ?? (parent === undefined ? undefined : facts.nodes.get(parent));
  if (above === undefined) return { state: facts.isOver ? 'skipped' : 'planned' };
  return above.kind === 'loop' ? paintAround(above, facts) : paintNode(above, facts);
}

/** A loop is as far as the furthest in it. */
function paintLoop({ id }: PictureNode, facts: Facts): Paint {
  const isPart = ({ parent, kind }: PictureNode): boolean =>
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
