import { parseCondition, variablesOf } from '@workflowlookup/conditions';
import type { ConditionSource, Step, StepWorkflowDefinition } from '@workflowlookup/schema';
import { walkSteps } from '@workflowlookup/schema';
import { describe, expect, it } from 'vitest';
import { readBundled } from '../support/bundled.ts';
import { rulesIn } from './rules.ts';

const bundled = await readBundled();

describe('the bundled step workflows', () => {
  it('are the eight in the README', () => {
    expect(bundled.map(({ file }) => file)).toEqual([
      'bug-investigation.yaml',
      'change-review.yaml',
      'feature-implementation.yaml',
      'incident-response.yaml',
      'migration-at-scale.yaml',
      'release.yaml',
      'technical-document.yaml',
      'workflow-authoring.yaml',
    ]);
  });

  it.each(bundled)('have no errors or warnings: $file', ({ file, reading }) => {
    expect(reading.issues).toEqual([]);
    expect(`${reading.workflow?.id}.yaml`).toBe(file);
  });
});

const definitions = bundled.flatMap(({ reading }) => reading.workflow?.definition ?? []);

describe.each(definitions)('$id', (definition) => {
  const declared = (definition.variables ?? []).map(({ name }) => name);
  const prompts = promptsOf(definition).join('\n');
  const set = new Set(
    [...walkSteps(definition.steps)].flatMap(({ step }) =>
      step.type === 'loop' ? [] : Object.keys(step.sets ?? {}),
    ),
  );

  it('is strict, and has a version, a description of its use, and all kinds of guidance', () => {
    expect(definition).toMatchObject({ enforcement: 'strict', version: '1.0.0' });
    expect(definition.description).toMatch(/^Use (when|to) /);
    const { tags, preconditions, clarificationPrompts, metaGuidance } = definition;
    for (const texts of [tags, preconditions, clarificationPrompts, metaGuidance])
      expect(texts?.length).toBeGreaterThan(0);
  });

  it('declares exactly the variables that it reads', () => {
    const read = variablesRead(definition);
    expect([...read].filter((name) => !declared.includes(name))).toEqual([]);
    expect(declared.filter((name) => !read.has(name) && !prompts.includes(`{{${name}}}`))).toEqual([]);
  });

  it('tells the agent which variables to set', () => {
    expect(declared.filter((name) => !prompts.includes(`\`${name}\``) && !set.has(name))).toEqual([]);
  });

  it('lets an agent report that it cannot collect evidence', () => {
    const trapped = [...walkSteps(definition.steps)].filter(
      ({ step }) => step.type !== 'loop' && step.evidence !== undefined && step.may_be_missing !== true,
    );
    expect(trapped.map(({ step }) => step.id)).toEqual([]);
  });

  it('has different messages within a step, so that each says what is missing', () => {
    const repeating = [...walkSteps(definition.steps)].filter(({ step }) => {
      const messages = rulesOf(step).map(({ message }) => message);
      return new Set(messages).size < messages.length;
    });
    expect(repeating.map(({ step }) => step.id)).toEqual([]);
  });
});

function promptsOf(definition: StepWorkflowDefinition): readonly string[] {
  return [...walkSteps(definition.steps)].flatMap(({ step }) => (step.type === 'loop' ? [] : [step.prompt]));
}

/** Returns the names of the variables that the definition reads, except loop variables. */
function variablesRead(definition: StepWorkflowDefinition): ReadonlySet<string> {
  const names = [...walkSteps(definition.steps)].flatMap(({ step, loops }) => {
    const around = step.type === 'loop' ? [...loops, step] : loops;
    const local = around.flatMap(({ loop }) => [loop.itemVar, loop.indexVar, loop.iterationVar]);
    return namesReadBy(step).filter((name) => !local.includes(name));
  });
  const ends = (definition.session_outcomes ?? []).flatMap(({ when }) => namesIn(when));
  return new Set([...names, ...ends]);
}

function namesReadBy(step: Step): readonly string[] {
  const filled = step.type === 'loop' ? '' : JSON.stringify(step.evidence ?? []);
  const proven = [...filled.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
  const conditions =
    step.type === 'loop' ? [step.loop.condition] : [step.requireConfirmation, ...ruleConditions(step)];
  const items = step.type === 'loop' ? (step.loop.items ?? []) : [];
  const names = [step.runCondition, ...conditions].flatMap(namesIn).concat(items, proven);
  return names.map((name) => name.split('.')[0] ?? name);
}

function ruleConditions(step: Step): readonly (ConditionSource | undefined)[] {
  return rulesOf(step).map(({ condition }) => condition);
}

function rulesOf(step: Step) {
  return step.type === 'loop' || step.validationCriteria === undefined
    ? []
    : rulesIn(step.validationCriteria);
}

function namesIn(source: ConditionSource | boolean | undefined): readonly string[] {
  if (source === undefined || typeof source === 'boolean') return [];
  const parsed = parseCondition(source);
  return parsed.ok ? [...variablesOf(parsed.condition)] : [];
}
