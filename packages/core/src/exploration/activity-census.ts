import type { Activity, ActivityPart, ActivityWorkflow, Json, WalkedAction } from '@workflowlookup/schema';
import { walkActions, walkActivitySteps, walkConditions } from '@workflowlookup/schema';
import { compileConditions } from './compile-conditions.ts';
import { rootOf } from '../root-of.ts';
import type { Census, Mention } from './terrain.ts';

/** What an activity workflow says of its variables. */
export function activityCensus(workflow: ActivityWorkflow): Census {
  const { activities, definition, skills, resources } = workflow;
  const { variables = [], modes = [], rules = [], description = '' } = definition;
  const loops = activities.flatMap((part) => part.definition.loops ?? []);
  const switches = modes.map(({ activationVariable }) => activationVariable);
  const names = new Set([...variables.map(({ name }) => name), ...switches]);
  return {
    declared: variables.map(({ name, type, defaultValue: value, required = false }) => ({
      name,
      type,
      required,
      ...(value === undefined ? {} : { value }),
    })),
    conditions: compileConditions([
      ...walkConditions(workflow),
      ...switches.map((name) => ({ source: { var: name, equals: true }, pointer: '/modes' })),
    ]).map(({ condition }) => condition),
    lists: loops.flatMap(({ type, over, variable = '' }) =>
      type === 'forEach' && over !== undefined ? [{ name: over, item: variable }] : [],
    ),
    counts: [],
    local: new Set(loops.flatMap(({ variable }) => variable ?? [])),
    assigned: [
      ...activities.flatMap((part) => valuesSet(part.definition)),
      ...modes.flatMap(({ defaults = {} }) => pairs(defaults)),
    ],
    switches,
    mentions: activities.flatMap(mentionsIn).filter(({ root }) => names.has(root)),
    texts: [
      description,
      ...rules,
      ...modes.map((mode) => mode.description ?? ''),
      ...skills.map(({ text }) => text),
      ...resources.map(({ body }) => body),
    ],
    textsAt: new Map(activities.map((part) => [part.id, textsOf(part.definition)])),
    hasTextsElsewhere: true,
  };
}

function valuesSet(activity: Activity): Census['assigned'] {
  const effects = (activity.checkpoints ?? []).flatMap(({ options }) =>
    options.flatMap(({ effect }) => pairs(effect?.setVariable ?? {})),
  );
  const actions = [...walkActions(activity)].flatMap(({ action: { action, target, value } }) =>
    action === 'set' && target !== undefined && value !== undefined ? [{ name: target, value }] : [],
  );
  return [...effects, ...actions];
}

function pairs(values: Readonly<Record<string, Json>>): Census['assigned'] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** What an activity says to who works on it. An action that sets a variable to nothing leaves the value to them. */
function textsOf(activity: Activity): readonly string[] {
  const { description, problem, rules = [], outcome = [], context_to_preserve: kept = [] } = activity;
  const { loops = [], decisions = [] } = activity;
  return [
    description,
    problem,
    ...rules,
    ...outcome,
    ...kept,
    ...[...walkActivitySteps(activity)].flatMap(({ step }) => [step.name, step.description]),
    ...loops.flatMap((loop) => [loop.name, loop.description]),
    ...decisions.flatMap((decision) => [decision.name, decision.description]),
    ...[...walkActions(activity)].map(({ action }) => wordsOf(action)),
  ].filter((text) => text !== undefined);
}

function wordsOf({ action, target, value, description = '' }: WalkedAction['action']): string {
  return action === 'set' && value === undefined && target !== undefined
    ? `\`${target}\` ${description}`
    : description;
}

function mentionsIn({ id, definition, file, pointer: place }: ActivityPart): readonly Mention[] {
  const { checkpoints = [], artifacts = [] } = definition;
  const texts = [
    ...[...walkActions(definition)].map(({ action, pointer }) => [action.message, `${pointer}/message`]),
    ...[...walkActivitySteps(definition)].map(({ step, pointer }) => [
      step.description,
      `${pointer}/description`,
    ]),
    ...checkpoints.map(({ message }, at) => [message, `/checkpoints/${at}/message`]),
    ...artifacts.map(({ name }, at) => [name, `/artifacts/${at}/name`]),
  ];
  return texts.flatMap(([text = '', pointer = '']) =>
    [...text.matchAll(/(?<!\{)\{([\w.-]+)\}(?!\})/g)].map(([, name = '']) => ({
      root: rootOf(name),
      site: id,
      file,
      pointer: place + pointer,
    })),
  );
}
