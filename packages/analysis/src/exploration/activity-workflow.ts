import { describeCondition } from '@workflowlookup/conditions';
import type { Activity, ActivityPart, ActivityWorkflow, Json, WalkedAction } from '@workflowlookup/schema';
import { conditionsOf, walkActions, walkActivitySteps, walkConditions } from '@workflowlookup/schema';
import { rootOf, graphNavigator } from '@workflowlookup/core/decisions';
import { labels } from '../messages.ts';
import type { ActivityBoundedLoop } from './activity-state.ts';
import {
  activityClauses,
  activityLoopsEnded,
  stepsReached,
  resultsOfTransition,
  createActivityRelevance,
  createActivityReads,
} from './activity-state.ts';
import { compileConditions, namesRead } from './variable-values.ts';
import { textOfSets } from './problems.ts';
import type { Branch, VariableUsage, Mention, Site, StateGraph } from './state-graph.ts';

/** Creates the state graph of an activity workflow. Its sites are its activities and their steps. */
export function activityStateGraph(workflow: ActivityWorkflow): StateGraph {
  const { activities } = workflow;
  const navigator = graphNavigator(workflow);
  const clauses = new Map(activities.map((part) => [part.id, activityClauses(part)]));
  const paths = { navigator, activities: clauses };
  const boundedLoops = activities.flatMap(circlesIn);
  const required = new Set(navigator.required);
  const usage = activityVariableUsage(workflow);
  const { byActivity, always, reads } = createActivityReads(workflow, navigator);
  return {
    navigator,
    sites: activities.flatMap(sitesIn),
    branches: activities.flatMap(branchesIn),
    boundedLoops,
    usage,
    siteOf: (activity) => activity,
    reads,
    relevantPartOf: createActivityRelevance(workflow, byActivity, required, always),
    *reachedBy(transition, outcomes) {
      if (transition.event.type === 'activity-entered') yield transition.event.activity;
      for (const step of stepsReached(paths, transition, outcomes))
        yield stepSite(transition.before.current ?? '', step);
    },
    resultsOf: (transition, outcomes) => resultsOfTransition(paths, transition, outcomes),
    endedBy: (transition) => activityLoopsEnded(boundedLoops, transition),
  };
}

function stepSite(activity: string, step: string): string {
  return `${activity}::${step}`;
}

function sitesIn({ id, definition, file, pointer }: ActivityPart): readonly Site[] {
  return [
    { id, kind: 'activity' as const, label: labels.part('activity', id), file, pointer: `${pointer}/id` },
    ...[...walkActivitySteps(definition)].map((walked) => ({
      id: stepSite(id, walked.step.id),
      kind: 'step' as const,
      label: labels.stepOf(walked.step.id, id),
      within: id,
      file,
      pointer: pointer + walked.pointer,
    })),
  ];
}

function branchesIn({ id, definition, file, pointer }: ActivityPart): readonly Branch[] {
  const steps = new Map([...walkActivitySteps(definition)].map((walked) => [walked.pointer, walked.step.id]));
  const { checkpoints = [] } = definition;
  const answers = checkpoints.flatMap(({ options: all }) =>
    all.map(({ effect }) => effect?.setVariable ?? {}),
  );
  const answered = new Set(answers.flatMap(Object.keys));
  const conditions = compileConditions(conditionsOf(definition)).map(
    ({ condition, pointer: place }): Branch => {
      const owner = /^(.*\/steps\/\d+)\/(?:when|condition)$/.exec(place)?.[1];
      const step = owner === undefined ? undefined : steps.get(owner);
      const names = namesRead([condition]);
      return {
        kind: 'condition',
        site: step === undefined ? id : stepSite(id, step),
        file,
        pointer: pointer + place,
        text: describeCondition(condition),
        names,
        readsAnswer: names.some((name) => answered.has(name)),
        decides: step !== undefined ? 'site' : decidedAt(place),
      };
    },
  );
  const options = checkpoints.flatMap((checkpoint, at) =>
    checkpoint.options.map((option, nth): Branch => ({
      kind: 'option',
      site: id,
      file,
      pointer: `${pointer}/checkpoints/${at}/options/${nth}`,
      text: labels.answer(option.id, checkpoint.id),
      names: [],
      decides: 'other',
      checkpoint: { id: checkpoint.id, file, pointer: `${pointer}/checkpoints/${at}` },
    })),
  );
  return [...conditions, ...options];
}

function decidedAt(pointer: string): Branch['decides'] {
  const [, key] = /^\/loops\/\d+\/(\w+)$/.exec(pointer) ?? [];
  if (key === 'breakCondition') return 'end';
  return key === 'condition' ? 'loop' : 'other';
}

/** Returns the loops over activities that should end by a condition rather than at their limit. */
function circlesIn({ id, definition, file, pointer }: ActivityPart): readonly ActivityBoundedLoop[] {
  return (definition.loops ?? []).flatMap(({ type, activities = [], maxIterations = 100, ...loop }, at) => {
    const [entrance] = activities;
    if (type === 'forEach' || entrance === undefined) return [];
    return [
      { id: loop.id, entrance, file, pointer: `${pointer}/loops/${at}`, maxIterations, host: id, activities },
    ];
  });
}

function activityVariableUsage(workflow: ActivityWorkflow): VariableUsage {
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

function valuesSet(activity: Activity): VariableUsage['assigned'] {
  const effects = (activity.checkpoints ?? []).flatMap(({ options }) =>
    options.flatMap(({ effect }) => pairs(effect?.setVariable ?? {})),
  );
  const actions = [...walkActions(activity)].flatMap(({ action: { action, target, value } }) =>
    action === 'set' && target !== undefined && value !== undefined ? [{ name: target, value }] : [],
  );
  return [...effects, ...actions];
}

function pairs(values: Readonly<Record<string, Json>>): VariableUsage['assigned'] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** Returns the texts that an activity shows to agents. An action without a value leaves the value to the agent. */
function textsOf(activity: Activity): readonly string[] {
  const { description, problem, rules = [], outcome = [], context_to_preserve: kept = [] } = activity;
  const { loops = [], decisions = [] } = activity;
  return [
    description,
    problem,
    ...rules,
    ...outcome,
    ...kept,
    ...[...walkActivitySteps(activity)].flatMap(({ step }) => [
      step.name,
      step.description,
      ...textOfSets(step),
    ]),
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
