import { parseInstanceId } from '@workflowlookup/core/decisions';
import type { CheckpointWait, SessionHistory, SessionHistoryMove } from '@workflowlookup/core/operator';
import type { Diagram, DiagramNode } from './diagram.ts';
import { entranceOf, nodeId } from './diagram-builder.ts';

/** A node that a session reached, and the answers given before it. */
export interface ReachedNode {
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
