import { describePlace } from './describe-place.ts';
import { didYouMean } from './did-you-mean.ts';
import type { Finding } from './issue.ts';
import { walkSteps } from './walk-steps.ts';
import type { LoopStep, StepWorkflowDefinition } from './step-workflow.ts';
import type { Template } from './templates.ts';
import { rootsIn, templatesOf, templatesOfStart } from './templates.ts';

/**
 * Finds variables in templates that nothing sets: names beside those a workflow declares, or, where it declares none,
 * names that miss a variable of a loop around the step by a letter or two. A dotted path is judged by its first part.
 */
export function* lintTemplates(definition: StepWorkflowDefinition): Generator<Finding> {
  const declared = definition.variables && new Set(definition.variables.map(({ name }) => name));
  const suggest = createSuggester();
  for (const { templates, loopNames } of scopesOf(definition)) {
    for (const { text, pointer } of templates) {
      for (const name of rootsIn(text)) {
        const wrong = judge(name, { declared, loopNames, suggest });
        if (wrong === undefined) continue;
        const message = `Unknown variable '${name}' in ${describePlace(definition, pointer)}`;
        yield { severity: 'warning', code: 'unknown-variable', pointer, message, suggestion: wrong };
      }
    }
  }
}

/** What a definition says of names. */
interface Known {
  readonly declared: ReadonlySet<string> | undefined;
  readonly loopNames: ReadonlySet<string>;
  readonly suggest: ReturnType<typeof createSuggester>;
}

/** Comparisons of names for one definition; where thousands are wrong, what the last of them may have meant helps nobody. */
const maxComparisons = 200_000;

function createSuggester(): (word: string, candidates: readonly string[]) => string | undefined {
  let left = maxComparisons;
  return (word, candidates) => {
    left -= candidates.length;
    return left < 0 ? undefined : didYouMean(word, candidates);
  };
}

/** What to do about a name, `undefined` when it may well be set. */
function judge(name: string, { declared, loopNames, suggest }: Known): string | undefined {
  if (loopNames.has(name) || declared?.has(name) === true) return undefined;
  const meant = suggest(name, [...(declared ?? []), ...loopNames]);
  if (meant !== undefined) return `Did you mean '${meant}'?`;
  return declared === undefined ? undefined : `Declare '${name}' under 'variables'`;
}

/** Templates that see the same loops. */
export interface TemplateScope {
  readonly templates: Iterable<Template>;
  readonly loopNames: ReadonlySet<string>;
}

/** Every template of a workflow, with those that see the same loops. */
export function* scopesOf({ steps, ...definition }: StepWorkflowDefinition): Generator<TemplateScope> {
  yield { templates: templatesOfStart(definition), loopNames: new Set() };
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

/** What loops set in each round, under the names they choose. */
export function namesSetBy(loops: readonly LoopStep[]): ReadonlySet<string> {
  const chosen = loops.flatMap(({ loop }) => [loop.iterationVar, loop.indexVar, loop.itemVar]);
  const defaults = loops.length === 0 ? [] : ['currentIteration', 'currentIndex', 'currentItem'];
  return new Set([...chosen, ...defaults].filter((name) => name !== undefined));
}
