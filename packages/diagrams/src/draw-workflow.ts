import type { LoopNode, Node as CompiledNode, StepNode } from '@workflowlookup/core/decisions';
import { compileWorkflow, conditionText } from '@workflowlookup/core/decisions';
import type {
  Activity,
  ActivityLoop,
  ActivityPart,
  ActivityStep,
  ActivityWorkflow,
  Checkpoint,
  Decision,
  StepWorkflow,
  Transition,
  Workflow,
} from '@workflowlookup/schema';
import { defined, initialActivityOf, reservedTargets, summarize } from '@workflowlookup/schema';
import type { Diagram, DiagramBuilder, DrawPosition, LooseEnd } from './diagram.ts';
import { createDiagramBuilder, drawChoice, drawLoop, nodeId } from './diagram.ts';
import { labels, outlineTexts } from './messages.ts';
import { conditionsOfStep, when } from './outline.ts';

/**
 * Returns the full diagram of a workflow of either kind. {@link foldDiagram} removes the content of its groups.
 *
 * @example
 * ```ts
 * const { nodes, edges } = drawWorkflow(workflow);
 * ```
 */
export function drawWorkflow(workflow: Workflow): Diagram {
  const { id, name: title, version } = summarize(workflow);
  const sketch = createDiagramBuilder();
  sketch.add({ id: 'start', kind: 'start', label: labels.start });
  if (workflow.kind === 'activities') drawActivities(sketch, workflow);
  else drawSteps(sketch, workflow);
  return {
    workflow: { id, title, version, digest: workflow.digest, kind: workflow.kind },
    ...sketch.finish(),
  };
}

function drawSteps(sketch: DiagramBuilder, workflow: StepWorkflow): void {
  const { nodes } = compileWorkflow(workflow);
  const ends = drawNodes(sketch, nodes, { path: [], ends: [{ from: 'start', kind: 'next' }] });
  sketch.add({ id: 'end', kind: 'end', label: labels.end }, { ends });
}

/** Draws nodes in order, and returns the open ends of the last one. */
function drawNodes(
  sketch: DiagramBuilder,
  nodes: readonly CompiledNode[],
  position: DrawPosition,
): readonly LooseEnd[] {
  return nodes.reduce<readonly LooseEnd[]>(
    (ends, node) => drawNode(sketch, node, { ...position, path: [...position.path, node.step.id], ends }),
    position.ends,
  );
}

function drawNode(sketch: DiagramBuilder, node: CompiledNode, position: DrawPosition): readonly LooseEnd[] {
  return drawChoice(sketch, when(node.step.runCondition).when, position, (inside) =>
    node.kind === 'loop'
      ? drawStepLoop(sketch, node, inside)
      : drawConfirmation(sketch, node, { ...inside, step: drawStep(sketch, node, inside) }),
  );
}

function drawStepLoop(
  sketch: DiagramBuilder,
  { step, body }: LoopNode,
  position: DrawPosition,
): readonly LooseEnd[] {
  const loop = { ref: step.id, title: step.title, rounds: outlineTexts.stepIterations(step.loop) };
  return drawLoop(sketch, loop, position, (inside) => drawNodes(sketch, body, inside));
}

function drawStep(sketch: DiagramBuilder, { step }: StepNode, position: DrawPosition): string {
  const id = nodeId('step', ...position.path);
  const { id: ref, title: label, runCondition, validationCriteria } = step;
  const judged = validationCriteria === undefined ? {} : { isJudged: true as const };
  sketch.add({ id, kind: 'step', label, ref, ...when(runCondition), ...judged }, position);
  return id;
}

/** A confirmation sends the step back or lets it pass. */
function drawConfirmation(
  sketch: DiagramBuilder,
  { step, confirms }: StepNode,
  { path, parent, step: from }: Omit<DrawPosition, 'ends'> & { readonly step: string },
): readonly LooseEnd[] {
  if (confirms === false) return [{ from, kind: 'next' }];
  const { title, approver = 'any', requireConfirmation: source } = step;
  const asked = typeof source === 'boolean' ? {} : when(source);
  const id = nodeId('checkpoint', ...path, 'confirm');
  const end: LooseEnd =
    asked.when === undefined ? { from, kind: 'next' } : { from, kind: 'branch', label: asked.when };
  sketch.add(
    { id, kind: 'checkpoint', label: labels.confirm(title), ref: 'confirm', ...asked, approver },
    { parent, ends: [end] },
  );
  sketch.connect([{ from: id, kind: 'answer', label: labels.revised, options: ['revise'] }], from);
  const confirmed: LooseEnd = { from: id, kind: 'answer', label: labels.confirmed, options: ['confirm'] };
  if (asked.when === undefined) return [confirmed];
  return [confirmed, { from, kind: 'branch', label: labels.otherwise }];
}

function drawActivities(sketch: DiagramBuilder, workflow: ActivityWorkflow): void {
  const { activities } = workflow;
  for (const part of activities) drawActivity(sketch, part);
  sketch.add({ id: 'end', kind: 'end', label: labels.end });
  const first = initialActivityOf(workflow);
  if (first !== undefined) connectTo(sketch, { from: 'start', kind: 'next' }, first);
  for (const part of activities) drawTransitionsOf(sketch, part, activities);
}

/** Connects a loose end to the node of a target. */
function connectTo(sketch: DiagramBuilder, end: LooseEnd, word: string): void {
  sketch.connect([end], target(sketch, word));
}

/** Returns the node of a target. An unusable activity gets a node where it is named. */
function target(sketch: DiagramBuilder, word: string): string {
  const id = nodeId('activity', word);
  if (sketch.has(id)) return id;
  if (reservedTargets.includes(word)) return 'end';
  const missing = nodeId('missing', word);
  if (!sketch.has(missing)) sketch.add({ id: missing, kind: 'missing', label: word, ref: word });
  return missing;
}

/** Draws the content of an activity: its steps, its checkpoints, its loops over steps, and its exit. */
function drawActivity(sketch: DiagramBuilder, { id, definition, lender }: ActivityPart): void {
  const group = nodeId('activity', id);
  sketch.add({ id: group, kind: 'activity', label: definition.name, ref: id, ...defined({ lender }) });
  const position: DrawPosition = { path: [id], parent: group, ends: [] };
  const stepped = drawActivitySteps(sketch, definition, { ...position, steps: definition.steps ?? [] });
  const looped = (definition.loops ?? []).reduce<readonly LooseEnd[]>((ends, loop) => {
    if (loop.steps === undefined || loop.steps.length === 0) return ends;
    const { id: ref, name: title, steps } = loop;
    const drawn = { ref, title, rounds: outlineTexts.activityIterations(loop) };
    return drawLoop(sketch, drawn, { ...position, path: [id, ref], ends }, (inside) =>
      drawActivitySteps(sketch, definition, { ...inside, steps }),
    );
  }, stepped);
  const asked = unnamedCheckpoints(definition).reduce<readonly LooseEnd[]>((ends, checkpoint) => {
    const answered = drawCheckpoint(sketch, checkpoint, { ...position, path: [id, checkpoint.id], ends });
    return checkpoint.approver === 'human' ? answered : [...answered, ...ends];
  }, looped);
  const afterLoops = (definition.loops ?? []).reduce<readonly LooseEnd[]>(
    (ends, loop) =>
      loop.activities?.length
        ? drawLoopStart(sketch, loop, { ...position, path: [id, loop.id], ends })
        : ends,
    asked,
  );
  sketch.add(
    { id: nodeId('exit', id), kind: 'exit', label: '', ref: id },
    { parent: group, ends: afterLoops },
  );
}

/**
 * Draws the node where the iterations of a loop over activities begin. The activities themselves are drawn separately.
 */
function drawLoopStart(
  sketch: DiagramBuilder,
  loop: ActivityLoop,
  position: DrawPosition,
): readonly LooseEnd[] {
  const id = nodeId('round', ...position.path);
  const label = `${loop.name}: ${outlineTexts.activityIterations(loop)}`;
  sketch.add({ id, kind: 'round', label, ref: loop.id }, position);
  return [{ from: id, kind: 'next', label: labels.done }];
}

/** Draws steps in order. An optional step has an edge past it. */
function drawActivitySteps(
  sketch: DiagramBuilder,
  activity: Activity,
  { steps, ...position }: DrawPosition & { readonly steps: readonly ActivityStep[] },
): readonly LooseEnd[] {
  return steps.reduce<readonly LooseEnd[]>((ends, step) => {
    const done = drawActivityStep(sketch, activity, step, {
      ...position,
      path: [...position.path, step.id],
      ends,
    });
    return step.required === false ? [...done, ...ends] : done;
  }, position.ends);
}

function drawActivityStep(
  sketch: DiagramBuilder,
  activity: Activity,
  step: ActivityStep,
  position: DrawPosition,
): readonly LooseEnd[] {
  const { id: ref, name: label = ref, required, validationCriteria, triggers } = step;
  const condition = conditionsOfStep(step);
  const checkpoint = activity.checkpoints?.find(({ id }) => id === step.checkpoint);
  return drawChoice(sketch, condition, position, (inside) => {
    const id = nodeId('step', ...inside.path);
    sketch.add(
      {
        id,
        kind: 'step',
        label,
        ref,
        ...defined({ when: condition, starts: triggers?.map(({ workflow }) => workflow) }),
        ...(required === false && { isOptional: true }),
        ...(validationCriteria !== undefined && { isJudged: true }),
      },
      inside,
    );
    const done: LooseEnd = { from: id, kind: 'next' };
    return checkpoint === undefined
      ? [done]
      : drawCheckpoint(sketch, checkpoint, {
          ...inside,
          path: [...inside.path, checkpoint.id],
          ends: [done],
        });
  });
}

/**
 * Draws a checkpoint. Whatever the answer, the rest of the activity comes first, so the edges to the targets of answers
 * start at the exit.
 */
function drawCheckpoint(
  sketch: DiagramBuilder,
  checkpoint: Checkpoint,
  position: DrawPosition,
): readonly LooseEnd[] {
  const { id: ref, name: label, condition, approver = 'any', options } = checkpoint;
  const id = nodeId('checkpoint', ...position.path);
  const asked = when(condition);
  const ends = position.ends.map((end) => labelled(end, asked.when));
  sketch.add({ id, kind: 'checkpoint', label, ref, ...asked, approver }, { ...position, ends });
  const answered: LooseEnd = {
    from: id,
    kind: 'answer',
    label: options.map((option) => option.label).join(' / '),
    options: options.map((option) => option.id),
  };
  return asked.when === undefined ? [answered] : [answered, ...position.ends];
}

/** Adds a condition to the label of a loose end. */
function labelled(end: LooseEnd, condition: string | undefined): LooseEnd {
  if (condition === undefined) return end;
  return { ...end, label: end.label === undefined ? condition : `${end.label}, ${condition}` };
}

function unnamedCheckpoints({ steps = [], loops = [], checkpoints = [] }: Activity): readonly Checkpoint[] {
  const all = [...steps, ...loops.flatMap((loop) => loop.steps ?? [])];
  const named = new Set(all.map(({ checkpoint }) => checkpoint));
  return checkpoints.filter(({ id }) => !named.has(id));
}

/**
 * Draws the transitions from an activity: its loops over activities, its decisions and transitions, and the targets of
 * the answers to its checkpoints.
 *
 * @see docs/sessions.md#transitions
 */
function drawTransitionsOf(
  sketch: DiagramBuilder,
  { id, definition }: ActivityPart,
  activities: readonly ActivityPart[],
): void {
  const exit = nodeId('exit', id);
  const { loops = [], decisions = [], transitions = [] } = definition;
  for (const loop of loops) drawIterations(sketch, id, loop, activities);
  for (const decision of decisions) drawDecision(sketch, id, decision);
  drawTransitions(sketch, exit, transitions, decisions.length === 0);
  drawAnswers(sketch, exit, definition);
  const stays = decisions.length + transitions.length > 0 ? [] : memberships(id, activities);
  for (const stay of stays) drawStay(sketch, exit, stay, activities);
  if (stays.length === 0 && !hasDefault(definition)) {
    const label = hasTransitions(definition) ? { label: labels.otherwise } : {};
    sketch.connect([{ from: exit, kind: 'transition', ...label }], 'end');
  }
}

/** Each iteration of a loop over activities begins with the first of them that is not skipped. */
function drawIterations(
  sketch: DiagramBuilder,
  host: string,
  loop: ActivityLoop,
  activities: readonly ActivityPart[],
): void {
  const from = nodeId('round', host, loop.id);
  const by = labels.loop(loop.id);
  for (const first of nextOf(loop.activities ?? [], activities)) {
    if (first !== undefined)
      connectTo(sketch, { from, kind: 'round', label: labels.eachIteration, by }, first);
  }
}

/**
 * Returns which activity of a loop may come next: the first one, and the one after it if an answer can skip it;
 * `undefined` if all of them can be skipped. A skipped activity without transitions of its own is not counted, because
 * its edge leads past it.
 */
function nextOf(
  members: readonly string[],
  activities: readonly ActivityPart[],
): readonly (string | undefined)[] {
  const skippable = new Set(
    activities.flatMap(({ definition: { checkpoints = [] } }) =>
      checkpoints.flatMap(({ options }) => options.flatMap(({ effect }) => effect?.skipActivities ?? [])),
    ),
  );
  const isLast = (id: string): boolean => {
    const part = activities.find((one) => one.id === id);
    return !skippable.has(id) || part === undefined || !hasTransitions(part.definition);
  };
  const last = members.findIndex(isLast);
  return last < 0 ? [...members, undefined] : members.slice(0, last + 1);
}

/** Draws the edge from an activity of a loop without decisions or transitions to the next one of the loop. */
function drawStay(
  sketch: DiagramBuilder,
  from: string,
  { host, loop, later }: Membership,
  activities: readonly ActivityPart[],
): void {
  const by = labels.loop(loop.id);
  for (const next of nextOf(later, activities)) {
    if (next !== undefined)
      connectTo(sketch, { from, kind: 'transition', label: labels.nextActivity, by }, next);
    else {
      const end: LooseEnd = { from, kind: 'round', label: labels.nextIteration, by };
      sketch.connect([end], nodeId('round', host, loop.id));
    }
  }
}

function drawDecision(sketch: DiagramBuilder, host: string, { id: ref, name, branches }: Decision): void {
  const id = nodeId('decision', host, ref);
  sketch.add(
    { id, kind: 'decision', label: name, ref },
    { parent: nodeId('activity', host), ends: [{ from: nodeId('exit', host), kind: 'next' }] },
  );
  for (const { transitionTo, condition, isDefault, label } of branches) {
    if (transitionTo === undefined) continue;
    const isLast = condition === undefined || isDefault === true;
    const text = isLast ? label : `${label}: ${conditionText(condition)}`;
    connectTo(sketch, { from: id, kind: 'transition', label: text, by: name }, transitionTo);
  }
}

/** @param isOnly whether the activity has no decisions */
function drawTransitions(
  sketch: DiagramBuilder,
  from: string,
  transitions: readonly Transition[],
  isOnly: boolean,
): void {
  const isAlone = isOnly && transitions.length === 1;
  for (const transition of transitions) {
    const { to, condition } = transition;
    const text = isElse(transition) || condition === undefined ? labels.otherwise : conditionText(condition);
    const label = isElse(transition) && isAlone ? {} : { label: text };
    connectTo(sketch, { from, kind: 'transition', ...label }, to);
  }
}

function drawAnswers(sketch: DiagramBuilder, exit: string, { checkpoints = [] }: Activity): void {
  for (const { name: by, options } of checkpoints) {
    for (const { id, label, effect: { transitionTo, skipActivities: skips } = {} } of options) {
      const end: LooseEnd = { from: exit, kind: 'answer', label, by, options: [id], ...defined({ skips }) };
      if (transitionTo !== undefined) connectTo(sketch, end, transitionTo);
    }
  }
}

/** Returns whether a transition is a default. One with `isDefault` is a default even if it has a condition. */
function isElse({ condition, isDefault }: Pick<Transition, 'condition' | 'isDefault'>): boolean {
  return condition === undefined || isDefault === true;
}

function hasDefault({ transitions = [], decisions = [] }: Activity): boolean {
  return (
    transitions.some(isElse) ||
    decisions.some(({ branches }) =>
      branches.some((branch) => branch.transitionTo !== undefined && isElse(branch)),
    )
  );
}

function hasTransitions({ loops = [], decisions = [], transitions = [] }: Activity): boolean {
  const isHost = loops.some(({ activities = [] }) => activities.length > 0);
  return isHost || decisions.length > 0 || transitions.length > 0;
}

interface Membership {
  readonly host: string;
  readonly loop: ActivityLoop;
  /** The activities of the loop that come after it. */
  readonly later: readonly string[];
}

/**
 * Returns the loops of other activities that an activity belongs to. When one of them has no iterations left, the next
 * one applies.
 */
function memberships(id: string, activities: readonly ActivityPart[]): readonly Membership[] {
  return activities.flatMap(({ id: host, definition: { loops = [] } }) =>
    (host === id ? [] : loops).flatMap((loop) => {
      const members = loop.activities ?? [];
      const at = members.indexOf(id);
      return at < 0 ? [] : [{ host, loop, later: members.slice(at + 1) }];
    }),
  );
}
