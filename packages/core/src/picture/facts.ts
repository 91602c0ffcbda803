import type { Story } from '../operator/operator.ts';
import type { PlannedActivity } from '../operator/planned-activities.ts';
import type { Picture, PictureNode } from './picture.ts';
import { nodeId } from './sketch.ts';
import { gateNodes, stepNode, stepOfActivity } from './stops.ts';
import type { Trail } from './trail.ts';

/** What a session did, by the nodes of the picture it is painted on. */
export interface Facts {
  readonly picture: Picture;
  readonly story: Story;
  readonly trail: Trail;
  readonly nodes: ReadonlyMap<string, PictureNode>;
  /** Activities and steps as they were planned, by the id their author gave them. */
  readonly plans: ReadonlyMap<string, PlannedActivity>;
  /** How often activities were entered and steps done. */
  readonly visits: ReadonlyMap<string, number>;
  /** The session is completed or abandoned. */
  readonly isOver: boolean;
  /** It came to its end. */
  readonly isEnded: boolean;
  /** Where it stands. */
  readonly current: string | undefined;
  /** The gates it waits at: one, but for a checkpoint that several steps name. */
  readonly waits: ReadonlySet<string>;
  /** What was refused after its last event: the message, empty where it is not kept. */
  readonly refusal: string | undefined;
}

/** Gathers what is painted. */
export function gatherFacts(picture: Picture, story: Story, trail: Trail): Facts {
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
    waits: new Set(waiting === undefined ? [] : gateNodes(picture, waiting)),
    refusal: refused && (refused.err ?? ''),
  };
}

/** The node a session stands at. */
function placeOf({ workflow }: Picture, id: string): string {
  return workflow.kind === 'steps' ? stepNode(id) : nodeId('activity', id);
}

function countVisits(picture: Picture, { moves }: Story): ReadonlyMap<string, number> {
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
export function roundsBegun({ picture, trail }: Facts, round: string): number {
  const begun = picture.edges.filter(({ kind, from }) => kind === 'round' && from === round);
  return begun.reduce((sum, { id }) => sum + (trail.taken.get(id) ?? 0), 0);
}
