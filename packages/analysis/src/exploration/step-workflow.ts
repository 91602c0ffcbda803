import { describeCondition } from '@workflowlookup/conditions';
import type {
  LoopSpec,
  Step,
  StepWorkflow,
  StepWorkflowDefinition,
  WalkedStep,
} from '@workflowlookup/schema';
import { conditionsOfStep, walkSteps } from '@workflowlookup/schema';
import { compileWorkflow, sequenceNavigator, rootOf } from '@workflowlookup/core/decisions';
import { compileConditions } from './variable-values.ts';
import { textOfSets } from './unset-variables.ts';
import type { Branch, VariableUsage, BoundedLoop, Mention, Site, StateGraph } from './state-graph.ts';
import {
  loopsLeft,
  siteOfInstance,
  stepPaths,
  resultsOfMove,
  createStepRelevance,
  createStepReads,
  namesIn,
} from './step-state.ts';

/** Creates the state graph of a step workflow. Its sites are its steps, including loops. */
export function stepStateGraph(workflow: StepWorkflow): StateGraph {
  const compiled = compileWorkflow(workflow);
  const walked = [...walkSteps(workflow.definition.steps)];
  const around = loopsAround(walked);
  const paths = stepPaths(compiled);
  const boundedLoops = new Map(walked.flatMap(circlesIn).map((boundedLoop) => [boundedLoop.id, boundedLoop]));
  return {
    navigator: sequenceNavigator(compiled),
    sites: walked.map((one): Site => siteAt(one, around)),
    branches: walked.flatMap(branchesAt),
    boundedLoops: [...boundedLoops.values()],
    usage: stepVariableUsage(workflow.definition),
    siteOf: siteOfInstance,
    reads: createStepReads(compiled),
    relevantPartOf: createStepRelevance(compiled),
    *reachedBy({ event }) {
      if (event.type !== 'activity-entered') return;
      const site = siteOfInstance(event.activity);
      yield site;
      for (const { id } of around.get(site) ?? []) yield id;
    },
    resultsOf: (transition, outcomes) => resultsOfMove(paths, transition, outcomes),
    endedBy: (transition) =>
      loopsLeft(compiled, transition).flatMap(({ step }) => boundedLoops.get(step.id) ?? []),
  };
}

/** The loops around each step, those included that name it as their body. */
function loopsAround(walked: readonly WalkedStep[]): ReadonlyMap<string, readonly Step[]> {
  const all = walked.map(({ step }) => step);
  const naming = (id: string): readonly Step[] =>
    all.filter((step) => step.type === 'loop' && step.body === id);
  return new Map(walked.map(({ step, loops }) => [step.id, [...loops, ...naming(step.id)]]));
}

function siteAt({ step, pointer }: WalkedStep, around: ReadonlyMap<string, readonly Step[]>): Site {
  const within = around.get(step.id)?.at(-1)?.id;
  return {
    id: step.id,
    kind: step.type ?? 'step',
    label: `${step.type === 'loop' ? 'loop' : 'step'} '${step.id}'`,
    pointer,
    ...(within === undefined ? {} : { within }),
  };
}

function branchesAt({ step, pointer: place }: WalkedStep): readonly Branch[] {
  return compileConditions(conditionsOfStep(step)).map(({ condition, pointer }) => ({
    kind: 'condition',
    site: step.id,
    pointer: place + pointer,
    text: describeCondition(condition),
    names: namesIn(condition),
    decides: decidedAt(step, pointer),
  }));
}

function decidedAt(step: Step, pointer: string): Branch['decides'] {
  if (pointer === '/runCondition') return 'site';
  if (pointer !== '/loop/condition' || step.type !== 'loop') return 'other';
  return step.loop.type === 'until' ? 'end' : 'loop';
}

function circlesIn({ step, pointer }: WalkedStep): readonly BoundedLoop[] {
  if (step.type !== 'loop' || step.loop.condition === undefined) return [];
  const { id, loop } = step;
  return [{ id, entrance: id, pointer: `${pointer}/loop`, maxIterations: loop.maxIterations }];
}

function stepVariableUsage(definition: StepWorkflowDefinition): VariableUsage {
  const walked = [...walkSteps(definition.steps)];
  const loops = walked.flatMap(({ step }) => (step.type === 'loop' ? [step.loop] : []));
  const { metaGuidance = [], preconditions = [], clarificationPrompts = [] } = definition;
  const declared = definition.variables ?? [];
  return {
    declared: declared.map(({ name, type, default: value, required = false }) => ({
      name,
      type,
      required,
      ...(value === undefined ? {} : { value }),
    })),
    conditions: walked.flatMap(({ step }) =>
      compileConditions(conditionsOfStep(step)).map(({ condition }) => condition),
    ),
    lists: loops.flatMap((loop) =>
      loop.type === 'forEach' && loop.items !== undefined ? [{ name: loop.items, item: itemName(loop) }] : [],
    ),
    counts: loops.flatMap(({ type, count }) => (type === 'for' && typeof count === 'string' ? [count] : [])),
    local: new Set(loops.flatMap(namesOfLoop)),
    assigned: [],
    switches: [],
    mentions: walked.flatMap(mentionsIn).filter(({ root }) => isOurs(root, declared)),
    texts: [...metaGuidance, ...preconditions, ...clarificationPrompts],
    textsAt: new Map(
      walked.map(({ step }) => [
        step.id,
        [...textsOf(step).map(({ text }) => text), ...(step.type === 'loop' ? [] : textOfSets(step))],
      ]),
    ),
    hasTextsElsewhere: false,
  };
}

/** If a workflow declares variables, lint reports undeclared names in templates. */
function isOurs(root: string, declared: readonly { readonly name: string }[]): boolean {
  return declared.length === 0 || declared.some(({ name }) => name === root);
}

function itemName({ itemVar = 'currentItem' }: LoopSpec): string {
  return itemVar;
}

function namesOfLoop(loop: LoopSpec): readonly string[] {
  const { iterationVar = 'currentIteration', indexVar = 'currentIndex' } = loop;
  return [iterationVar, indexVar, ...(loop.type === 'forEach' ? [itemName(loop)] : [])];
}

function textsOf(step: Step): readonly { readonly text: string; readonly pointer: string }[] {
  if (step.type === 'loop') return [{ text: step.title, pointer: '/title' }];
  const { title, prompt, agentRole, guidance = [] } = step;
  return [
    { text: title, pointer: '/title' },
    { text: prompt, pointer: '/prompt' },
    ...(agentRole === undefined ? [] : [{ text: agentRole, pointer: '/agentRole' }]),
    ...guidance.map((text, at) => ({ text, pointer: `/guidance/${at}` })),
  ];
}

function mentionsIn({ step, pointer }: WalkedStep): readonly Mention[] {
  if (step.type === 'loop') return [];
  return textsOf(step).flatMap((part) =>
    [...part.text.matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g)].map(([, name = '']) => ({
      root: rootOf(name),
      site: step.id,
      pointer: pointer + part.pointer,
    })),
  );
}
