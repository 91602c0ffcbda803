import type {
  Activity,
  ActivityLoop,
  ActivityPart,
  ActivityStep,
  ActivityWorkflow,
  Checkpoint,
} from '@workflowlookup/schema';
import { initialActivityOf, reservedTargets } from '@workflowlookup/schema';
import { conditionText } from '@workflowlookup/core/decisions';
import { drawTransitionsOf } from './draw-transitions.ts';
import { activityRounds } from './outline.ts';
import type { LooseEnd, DiagramBuilder, DrawPosition } from './diagram.ts';
import { drawChoice, drawLoop, nodeId } from './diagram.ts';

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
  const spot: DrawPosition = { path: [id], parent: group, ends: [] };
  const stepped = drawActivitySteps(sketch, definition, { ...spot, steps: definition.steps ?? [] });
  const looped = (definition.loops ?? []).reduce<readonly LooseEnd[]>((ends, loop) => {
    if (loop.steps === undefined || loop.steps.length === 0) return ends;
    const { id: ref, name: title, steps } = loop;
    const drawn = { loop: { ref, title, rounds: activityRounds(loop) } };
    return drawLoop(sketch, { ...drawn, spot: { ...spot, path: [id, ref], ends } }, (inside) =>
      drawActivitySteps(sketch, definition, { ...inside, steps }),
    );
  }, stepped);
  const asked = unnamedCheckpoints(definition).reduce<readonly LooseEnd[]>((ends, checkpoint) => {
    const answered = drawCheckpoint(sketch, checkpoint, { ...spot, path: [id, checkpoint.id], ends });
    return checkpoint.approver === 'human' ? answered : [...answered, ...ends];
  }, looped);
  const toured = (definition.loops ?? []).reduce<readonly LooseEnd[]>(
    (ends, loop) =>
      loop.activities?.length ? drawTour(sketch, loop, { ...spot, path: [id, loop.id], ends }) : ends,
    asked,
  );
  sketch.add({ id: nodeId('exit', id), kind: 'exit', label: '', parent: group, ref: id }, toured);
}

/** Draws the node where the rounds of a loop over activities begin. The activities themselves are drawn separately. */
function drawTour(
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
  { steps, ...spot }: DrawPosition & { readonly steps: readonly ActivityStep[] },
): readonly LooseEnd[] {
  return steps.reduce<readonly LooseEnd[]>((ends, step) => {
    const done = drawActivityStep(
      sketch,
      { activity, step },
      { ...spot, path: [...spot.path, step.id], ends },
    );
    return step.required === false ? [...done, ...ends] : done;
  }, spot.ends);
}

function drawActivityStep(
  sketch: DiagramBuilder,
  { activity, step }: { readonly activity: Activity; readonly step: ActivityStep },
  spot: DrawPosition,
): readonly LooseEnd[] {
  const { id: ref, name: label = ref, required, validationCriteria, triggers } = step;
  const conditions = [step.when, step.condition].filter((source) => source !== undefined).map(conditionText);
  const when = conditions.length === 0 ? undefined : conditions.join(', and ');
  const checkpoint = activity.checkpoints?.find(({ id }) => id === step.checkpoint);
  return drawChoice(sketch, { when, spot }, ({ path, parent, ends }) => {
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
 * Draws a checkpoint. After any answer the rest of the activity comes first, so the targets of answers are drawn at the
 * exit.
 */
function drawCheckpoint(
  sketch: DiagramBuilder,
  checkpoint: Checkpoint,
  spot: DrawPosition,
): readonly LooseEnd[] {
  const { id: ref, name: label, condition, approver = 'any', options } = checkpoint;
  const id = nodeId('gate', ...spot.path);
  const when = condition === undefined ? undefined : conditionText(condition);
  sketch.add(
    {
      id,
      kind: 'gate',
      label,
      ...(spot.parent === undefined ? {} : { parent: spot.parent }),
      ref,
      ...(when === undefined ? {} : { when }),
      approver,
    },
    when === undefined ? spot.ends : spot.ends.map((end) => ({ ...end, label: labelled(end, when) })),
  );
  const answered: LooseEnd = {
    from: id,
    kind: 'answer',
    label: options.map((option) => option.label).join(' / '),
    options: options.map((option) => option.id),
  };
  return when === undefined ? [answered] : [answered, ...spot.ends];
}

function labelled({ label }: LooseEnd, when: string): string {
  return label === undefined ? when : `${label}, ${when}`;
}

function unnamedCheckpoints({ steps = [], loops = [], checkpoints = [] }: Activity): readonly Checkpoint[] {
  const all = [...steps, ...loops.flatMap((loop) => loop.steps ?? [])];
  const named = new Set(all.map(({ checkpoint }) => checkpoint));
  return checkpoints.filter(({ id }) => !named.has(id));
}
