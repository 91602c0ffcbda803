import { describePlace } from './describe-place.ts';
import { didYouMean } from './did-you-mean.ts';
import type { Finding } from './issue.ts';
import { walkSteps } from './walk-steps.ts';
import type { LoopStep, Step, StepWorkflowDefinition } from './step-workflow.ts';

/** A text in which `{{name.path}}` is replaced. */
interface Template {
  readonly text: string;
  readonly pointer: string;
}

/**
 * Finds variables in templates that nothing sets: names beside those a workflow declares, or, where it declares none,
 * names that miss a variable of a loop around the step by a letter or two. A dotted path is judged by its first part.
 */
export function* lintTemplates(definition: StepWorkflowDefinition): Generator<Finding> {
  const declared = definition.variables && new Set(definition.variables.map(({ name }) => name));
  for (const { templates, loopNames } of scopesOf(definition)) {
    for (const { text, pointer } of templates) {
      for (const name of rootsIn(text)) {
        const wrong = judge(name, declared, loopNames);
        if (wrong === undefined) continue;
        const message = `Unknown variable '${name}' in ${describePlace(definition, pointer)}`;
        yield { severity: 'warning', code: 'unknown-variable', pointer, message, suggestion: wrong };
      }
    }
  }
}

/** What to do about a name, `undefined` when it may well be set. */
function judge(
  name: string,
  declared: ReadonlySet<string> | undefined,
  loopNames: ReadonlySet<string>,
): string | undefined {
  if (loopNames.has(name) || declared?.has(name) === true) return undefined;
  const meant = didYouMean(name, [...(declared ?? []), ...loopNames]);
  if (meant !== undefined) return `Did you mean '${meant}'?`;
  return declared === undefined ? undefined : `Declare '${name}' under 'variables'`;
}

/** The first parts of the variables a text names, each once. */
function rootsIn(text: string): ReadonlySet<string> {
  return new Set(
    Array.from(text.matchAll(/\{\{\s*([\w-]+)(?:\.[\w.-]*)?\s*\}\}/g), ([, root]) => root ?? ''),
  );
}

/** Templates that see the same loops. */
interface Scope {
  readonly templates: Iterable<Template>;
  readonly loopNames: ReadonlySet<string>;
}

function* scopesOf({ steps, ...definition }: StepWorkflowDefinition): Generator<Scope> {
  for (const field of ['preconditions', 'clarificationPrompts', 'metaGuidance'] as const) {
    yield { templates: textsOf(definition[field], `/${field}`), loopNames: new Set() };
  }
  const walked = [...walkSteps(steps)];
  const allLoops = walked.map(({ step }) => step).filter((step) => step.type === 'loop');
  const bodies = new Set(allLoops.map(({ body }) => body));
  const allNames = namesSetBy(allLoops);
  for (const { step, pointer, loops } of walked) {
    const around = step.type === 'loop' ? [...loops, step] : loops;
    // A step that a loop names may run in several: it is not held against it which.
    const isNamed = [step, ...loops].some(({ id }) => bodies.has(id));
    yield { templates: templatesOf(step, pointer), loopNames: isNamed ? allNames : namesSetBy(around) };
  }
}

function* templatesOf(step: Step, pointer: string): Generator<Template> {
  yield { text: step.title, pointer: `${pointer}/title` };
  if (step.type === 'loop') return;
  yield { text: step.prompt, pointer: `${pointer}/prompt` };
  if (step.agentRole !== undefined) yield { text: step.agentRole, pointer: `${pointer}/agentRole` };
  yield* textsOf(step.guidance, `${pointer}/guidance`);
}

function textsOf(texts: readonly string[] | undefined, pointer: string): readonly Template[] {
  return (texts ?? []).map((text, index) => ({ text, pointer: `${pointer}/${index}` }));
}

function namesSetBy(loops: readonly LoopStep[]): ReadonlySet<string> {
  const chosen = loops.flatMap(({ loop }) => [loop.iterationVar, loop.indexVar, loop.itemVar]);
  const defaults = loops.length === 0 ? [] : ['currentIteration', 'currentIndex', 'currentItem'];
  return new Set([...chosen, ...defaults].filter((name) => name !== undefined));
}
