import { conditionText } from '@workflowlookup/core/decisions';
import type {
  Activity,
  ActivityLoop,
  ActivityPart,
  ActivityStep,
  ActivityWorkflow,
  Checkpoint,
  CheckpointOption,
  Decision,
  Transition,
} from '@workflowlookup/schema';
import { initialActivityOf, reservedTargets } from '@workflowlookup/schema';
import type { DiagramBuilder, DrawPosition, LooseEnd } from './diagram.ts';
import { drawChoice, drawLoop, nodeId } from './diagram.ts';
import { activityRounds } from './outline.ts';

export function drawActivities(sketch: DiagramBuilder, workflow: ActivityWorkflow): void {
  const { activities } = workflow;
  for (const part of activities) drawActivity(sketch, part);
  sketch.add({ id: 'end', kind: 'end', label: 'End' });
  const first = initialActivityOf(workflow);
  if (first !== undefined) sketch.connect([{ from: 'start', kind: 'next' }], target(sketch, first));
  for (const part of activities)
    drawTransitionsOf(sketch, part, { activities, target: (id) => target(sketch, id) });
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
  sketch.add({
    id: group,
    kind: 'activity',
    label: definition.name,
    ref: id,
    ...(lender === undefined ? {} : { lender }),
  });
  const position: DrawPosition = { path: [id], parent: group, ends: [] };
  const stepped = drawActivitySteps(sketch, definition, { ...position, steps: definition.steps ?? [] });
  const looped = (definition.loops ?? []).reduce<readonly LooseEnd[]>((ends, loop) => {
    if (loop.steps === undefined || loop.steps.length === 0) return ends;
    const { id: ref, name: title, steps } = loop;
    const drawn = { loop: { ref, title, rounds: activityRounds(loop) } };
    return drawLoop(sketch, { ...drawn, position: { ...position, path: [id, ref], ends } }, (inside) =>
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
  sketch.add({ id: nodeId('exit', id), kind: 'exit', label: '', parent: group, ref: id }, afterLoops);
}

/** Draws the node where the rounds of a loop over activities begin. The activities themselves are drawn separately. */
function drawLoopStart(
  sketch: DiagramBuilder,
  loop: ActivityLoop,
  { path, parent, ends }: DrawPosition,
): readonly LooseEnd[] {
  const id = nodeId('round', ...path);
  const label = `${loop.name}: ${activityRounds(loop)}`;
  sketch.add({ id, kind: 'round', label, ...(parent === undefined ? {} : { parent }), ref: loop.id }, ends);
  return [{ from: id, kind: 'next', label: 'done' }];
}

/** Draws steps in order. An optional step has an edge past it. */
function drawActivitySteps(
  sketch: DiagramBuilder,
  activity: Activity,
  { steps, ...position }: DrawPosition & { readonly steps: readonly ActivityStep[] },
): readonly LooseEnd[] {
  return steps.reduce<readonly LooseEnd[]>((ends, step) => {
    const done = drawActivityStep(
      sketch,
      { activity, step },
      { ...position, path: [...position.path, step.id], ends },
    );
    return step.required === false ? [...done, ...ends] : done;
  }, position.ends);
}

function drawActivityStep(
  sketch: DiagramBuilder,
  { activity, step }: { readonly activity: Activity; readonly step: ActivityStep },
  position: DrawPosition,
): readonly LooseEnd[] {
  const { id: ref, name: label = ref, required, validationCriteria, triggers } = step;
  const conditions = [step.when, step.condition].filter((source) => source !== undefined).map(conditionText);
  const when = conditions.length === 0 ? undefined : conditions.join(', and ');
  const checkpoint = activity.checkpoints?.find(({ id }) => id === step.checkpoint);
  return drawChoice(sketch, { when, position }, ({ path, parent, ends }) => {
    const id = nodeId('step', ...path);
    sketch.add(
      {
        id,
        kind: 'step',
        label,
        ...(parent === undefined ? {} : { parent }),
        ref,
        ...(when === undefined ? {} : { when }),
        ...(required === false ? { isOptional: true } : {}),
        ...(validationCriteria === undefined ? {} : { isJudged: true }),
        ...(triggers === undefined ? {} : { starts: triggers.map(({ workflow }) => workflow) }),
      },
      ends,
    );
    const done: LooseEnd = { from: id, kind: 'next' };
    if (checkpoint === undefined) return [done];
    return drawCheckpoint(sketch, checkpoint, {
      path: [...path, checkpoint.id],
      ...(parent === undefined ? {} : { parent }),
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
  const when = condition === undefined ? undefined : conditionText(condition);
  sketch.add(
    {
      id,
      kind: 'checkpoint',
      label,
      ...(position.parent === undefined ? {} : { parent: position.parent }),
      ref,
      ...(when === undefined ? {} : { when }),
      approver,
    },
    when === undefined ? position.ends : position.ends.map((end) => ({ ...end, label: labelled(end, when) })),
  );
  const answered: LooseEnd = {
    from: id,
    kind: 'answer',
    label: options.map((option) => option.label).join(' / '),
    options: options.map((option) => option.id),
  };
  return when === undefined ? [answered] : [answered, ...position.ends];
}

function labelled({ label }: LooseEnd, when: string): string {
  return label === undefined ? when : `${label}, ${when}`;
}

function unnamedCheckpoints({ steps = [], loops = [], checkpoints = [] }: Activity): readonly Checkpoint[] {
  const all = [...steps, ...loops.flatMap((loop) => loop.steps ?? [])];
  const named = new Set(all.map(({ checkpoint }) => checkpoint));
  return checkpoints.filter(({ id }) => !named.has(id));
}

/** The possible targets of an activity's transitions. */
interface Surroundings {
  readonly activities: readonly ActivityPart[];
  /** The node a word of the definition leads to. */
  target(word: string): string;
}

/**
 * Draws the transitions from an activity: its loops over activities, its decisions and transitions, and the targets of
 * the answers to its checkpoints.
 *
 * @see docs/sessions.md#transitions
 */
function drawTransitionsOf(sketch: DiagramBuilder, { id, definition }: ActivityPart, at: Surroundings): void {
  const exit = nodeId('exit', id);
  const { loops = [], decisions = [], transitions = [] } = definition;
  for (const loop of loops) drawRounds(sketch, { host: id, loop }, at);
  for (const decision of decisions) drawDecision(sketch, { host: id, decision }, at);
  drawTransitions(sketch, { exit, transitions, isOnly: decisions.length === 0 }, at);
  drawAnswers(sketch, { exit, activity: definition }, at);
  const stays = decisions.length + transitions.length > 0 ? [] : memberships(id, at.activities);
  for (const stay of stays) drawStay(sketch, { exit, stay }, at);
  if (stays.length === 0 && !hasDefault(definition)) {
    const label = hasTransitions(definition) ? { label: 'otherwise' } : {};
    sketch.connect([{ from: exit, kind: 'transition', ...label }], 'end');
  }
}

/** Each round of a loop over activities begins with the first of them that is not skipped. */
function drawRounds(
  sketch: DiagramBuilder,
  { host, loop }: { readonly host: string; readonly loop: ActivityLoop },
  at: Surroundings,
): void {
  const from = nodeId('round', host, loop.id);
  const by = `loop '${loop.id}'`;
  for (const first of nextOf(loop.activities ?? [], at)) {
    if (first !== undefined)
      sketch.connect([{ from, kind: 'round', label: 'each round', by }], at.target(first));
  }
}

/**
 * Returns which activity of a loop may come next: the first one, and the one after it if an answer can skip it;
 * `undefined` if all of them can be skipped. A skipped activity without transitions of its own is not counted, because
 * its edge leads past it.
 */
function nextOf(members: readonly string[], { activities }: Surroundings): readonly (string | undefined)[] {
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
  { exit: from, stay }: { readonly exit: string; readonly stay: Membership },
  at: Surroundings,
): void {
  const { host, loop, later } = stay;
  const by = `loop '${loop.id}'`;
  for (const next of nextOf(later, at)) {
    if (next === undefined) {
      const end: LooseEnd = { from, kind: 'round', label: 'the next round', by };
      sketch.connect([end], nodeId('round', host, loop.id));
    } else {
      sketch.connect([{ from, kind: 'transition', label: 'the next of it', by }], at.target(next));
    }
  }
}

function drawDecision(
  sketch: DiagramBuilder,
  { host, decision }: { readonly host: string; readonly decision: Decision },
  at: Surroundings,
): void {
  const { id: ref, name, branches } = decision;
  const id = nodeId('decision', host, ref);
  sketch.add({ id, kind: 'decision', label: name, parent: nodeId('activity', host), ref }, [
    { from: nodeId('exit', host), kind: 'next' },
  ]);
  for (const branch of branches) {
    const { transitionTo, condition, isDefault, label } = branch;
    if (transitionTo === undefined) continue;
    const isLast = condition === undefined || isDefault === true;
    const text = isLast ? label : `${label}: ${conditionText(condition)}`;
    sketch.connect([{ from: id, kind: 'transition', label: text, by: name }], at.target(transitionTo));
  }
}

function drawTransitions(
  sketch: DiagramBuilder,
  from: { readonly exit: string; readonly transitions: readonly Transition[]; readonly isOnly: boolean },
  at: Surroundings,
): void {
  const isAlone = from.isOnly && from.transitions.length === 1;
  for (const transition of from.transitions) {
    const { to, condition } = transition;
    const text = isElse(transition) || condition === undefined ? 'otherwise' : conditionText(condition);
    const label = isElse(transition) && isAlone ? {} : { label: text };
    sketch.connect([{ from: from.exit, kind: 'transition', ...label }], at.target(to));
  }
}

function drawAnswers(
  sketch: DiagramBuilder,
  { exit, activity }: { readonly exit: string; readonly activity: Activity },
  at: Surroundings,
): void {
  for (const { name, options } of activity.checkpoints ?? []) {
    for (const option of options) {
      const to = option.effect?.transitionTo;
      if (to !== undefined) sketch.connect([answerEnd(exit, name, option)], at.target(to));
    }
  }
}

function answerEnd(from: string, by: string, { id, label, effect }: CheckpointOption): LooseEnd {
  const skips = effect?.skipActivities === undefined ? {} : { skips: effect.skipActivities };
  return { from, kind: 'answer', label, by, options: [id], ...skips };
}

/** Returns whether a transition is a default. One with `isDefault` is a default even if it has a condition. */
function isElse({ condition, isDefault }: Transition): boolean {
  return condition === undefined || isDefault === true;
}

function hasDefault({ transitions = [], decisions = [] }: Activity): boolean {
  return (
    transitions.some(isElse) ||
    decisions.some(({ branches }) =>
      branches.some(
        ({ condition, isDefault, transitionTo }) =>
          transitionTo !== undefined && (condition === undefined || isDefault === true),
      ),
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
 * Returns the loops of other activities that an activity belongs to. When one of them has no rounds left, the next one
 * applies.
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
