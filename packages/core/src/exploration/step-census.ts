import type { LoopSpec, Step, StepWorkflowDefinition, WalkedStep } from '@workflowlookup/schema';
import { conditionsOfStep, walkSteps } from '@workflowlookup/schema';
import { compileConditions } from './compile-conditions.ts';
import { rootOf } from '../root-of.ts';
import type { Census, Mention } from './terrain.ts';

/** What a step workflow says of its variables. */
export function stepCensus(definition: StepWorkflowDefinition): Census {
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
    textsAt: new Map(walked.map(({ step }) => [step.id, textsOf(step).map(({ text }) => text)])),
    hasTextsElsewhere: false,
  };
}

/** Where a workflow declares variables, lint tells of those in templates that are not among them. */
function isOurs(root: string, declared: readonly { readonly name: string }[]): boolean {
  return declared.length === 0 || declared.some(({ name }) => name === root);
}

/** What a loop calls its item. */
function itemName({ itemVar = 'currentItem' }: LoopSpec): string {
  return itemVar;
}

/** What a loop sets in each round. */
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
