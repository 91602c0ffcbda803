import { describeCondition } from '@workflowlookup/conditions';
import type { Action, ActivityLoop, ActivityStep, Trigger } from '@workflowlookup/schema';
import { compileCondition } from '../session/compile-activity.ts';
import { judgedId } from './find-judged.ts';
import type { Scene } from './scene.ts';
import { standingOf } from './scene.ts';
import { indented, showAssignments, showNames } from './wording.ts';

/** The steps of an activity that are to be done, or that may come to be, then those of each of its loops. */
export function describeWork(scene: Scene): readonly string[] {
  const { steps = [], loops = [] } = scene.activity;
  return [
    ...list('Steps:', steps, scene),
    ...loops.flatMap((loop) => list(describeLoop(loop), loop.steps ?? [], scene)),
  ];
}

/** How a step stands: both of its conditions must hold. */
export function standingOfStep(step: ActivityStep, scene: Scene): ReturnType<typeof standingOf> {
  return standingOf([step.when, step.condition], scene);
}

function list(heading: string, steps: readonly ActivityStep[], scene: Scene): readonly string[] {
  const shown = steps.flatMap((step) => {
    const standing = standingOfStep(step, scene);
    return standing.kind === 'fails'
      ? []
      : [{ step, when: standing.kind === 'open' ? standing.when : undefined }];
  });
  if (shown.length === 0) return [];
  const lines = shown.flatMap(({ step, when }, at) => [
    `${at + 1}. ${headOf(step, scene, when)}`,
    ...indented(notesOn(step, scene)),
  ]);
  return [[heading, ...lines].join('\n')];
}

function headOf(step: ActivityStep, { activity, visit }: Scene, when?: string): string {
  const { id, name = id, description, required, skill, validationCriteria } = step;
  const remarks = [
    ...(validationCriteria === undefined ? [] : [`judged as ${judgedId(activity.id, visit, step)}`]),
    ...(required === false ? ['optional'] : []),
    ...(when === undefined ? [] : [`only when ${when}`]),
    ...(skill === undefined ? [] : [`skill: ${skill}`]),
  ];
  const head = remarks.length === 0 ? name : `${name} (${remarks.join('; ')})`;
  return description === undefined ? head : `${head}: ${description}`;
}

function notesOn(
  { skill_args: args, actions, triggers, checkpoint }: ActivityStep,
  { activity }: Scene,
): readonly string[] {
  const question = activity.checkpoints?.find(({ id }) => id === checkpoint);
  return [
    ...(args === undefined ? [] : [`- The skill is given ${JSON.stringify(args)}.`]),
    ...describeActions(actions).map((line) => `- ${line}`),
    ...describeTriggers(triggers).map((line) => `- ${line}`),
    ...(question === undefined ? [] : [`- Put the question \`${question.id}\`.`]),
  ];
}

/** What actions ask for, in words. */
export function describeActions(actions: readonly Action[] = []): readonly string[] {
  return actions.flatMap((action) => {
    const text = describeAction(action);
    if (text === undefined) return [];
    const { condition } = action;
    return [condition === undefined ? text : `If ${describeCondition(compileCondition(condition))}: ${text}`];
  });
}

function describeAction({ action, target, value, message, description }: Action): string | undefined {
  const text = message ?? description;
  switch (action) {
    case 'set':
      return target && describeSetting(target, value, text);
    case 'validate':
      return `Check ${[target && showNames([target]), text].filter((part) => part !== undefined).join(': ')}`;
    case 'message':
      return text && `Tell the user: ${text}`;
    case 'log':
    case 'emit':
      return text && `Note: ${text}`;
  }
}

function describeSetting(target: string, value: Action['value'], text: string | undefined): string {
  if (value !== undefined) return `Put ${showAssignments({ [target]: value })} into the context.`;
  const what = `Put ${showNames([target])} into the context`;
  return text === undefined ? `${what}.` : `${what}: ${text}`;
}

/** Workflows to start, in words. */
export function describeTriggers(triggers: readonly Trigger[] = []): readonly string[] {
  return triggers.map(({ workflow, passContext = [], description }) => {
    const context = passContext.length === 0 ? '' : ` with ${showNames(passContext)} in its context`;
    return `Follow the workflow '${workflow}'${context}${description === undefined ? '.' : `: ${description}`}`;
  });
}

function describeLoop(loop: ActivityLoop): string {
  const { name, description, breakCondition, maxIterations } = loop;
  const stop =
    breakCondition === undefined ? [] : [`ends once ${describeCondition(compileCondition(breakCondition))}`];
  const bound = maxIterations === undefined ? [] : [`at most ${maxIterations} times`];
  const head = `${name} (${[repetitionOf(loop), ...stop, ...bound].join(', ')}):`;
  return description === undefined ? head : `${head} ${description}`;
}

function repetitionOf({ type, variable, over, condition }: ActivityLoop): string {
  if (type === 'forEach') return `for each ${showNames([variable ?? 'item'])} in ${showNames([over ?? ''])}`;
  const goesOn = condition === undefined ? 'it goes on' : describeCondition(compileCondition(condition));
  return type === 'while' ? `while ${goesOn}` : `once, then again while ${goesOn}`;
}
