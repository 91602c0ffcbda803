import { describePlace } from './describe-place.ts';
import { didYouMean } from './did-you-mean.ts';
import type { Finding } from './issue.ts';
import { walkWithLoops } from './walk-with-loops.ts';
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
  const declared = definition.variables?.map(({ name }) => name);
  for (const { templates, loopNames } of scopesOf(definition)) {
    for (const { text, pointer } of templates) {
      for (const name of rootsIn(text)) {
        const wrong = judge(name, declared, loopNames);
        if (wrong === undefined) continue;
        const message = `Unknown variable '${name}' in ${describePlace(definition, pointer)}`;
        yield { severity: 'warning', pointer, message, suggestion: wrong };
      }
    }
  }
}

/** What to do about a name, `undefined` when it may well be set. */
function judge(
  name: string,
  declared: readonly string[] | undefined,
  loopNames: readonly string[],
): string | undefined {
  const known = [...(declared ?? []), ...loopNames];
  if (known.includes(name)) return undefined;
  const meant = didYouMean(name, known);
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
  readonly loopNames: readonly string[];
}

function* scopesOf(definition: StepWorkflowDefinition): Generator<Scope> {
  for (const field of ['preconditions', 'clarificationPrompts', 'metaGuidance'] as const) {
    yield { templates: textsOf(definition[field], `/${field}`), loopNames: [] };
  }
  for (const { step, pointer, loops } of walkWithLoops(definition.steps)) {
    const around = step.type === 'loop' ? [...loops, step] : loops;
    yield { templates: templatesOf(step, pointer), loopNames: [...new Set(around.flatMap(namesSetBy))] };
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

function namesSetBy({ loop: { iterationVar, indexVar, itemVar } }: LoopStep): readonly string[] {
  const own = [iterationVar, indexVar, itemVar].filter((name) => name !== undefined);
  return [...own, 'currentIteration', 'currentIndex', 'currentItem'];
}
