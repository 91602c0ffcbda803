import type { Step, StepWorkflowDefinition } from './step-workflow.ts';

/** A text in which `{{name.path}}` is replaced. */
export interface Template {
  readonly text: string;
  readonly pointer: string;
}

/** The templates that are given out with the first step. */
export function templatesOfStart(definition: Omit<StepWorkflowDefinition, 'steps'>): readonly Template[] {
  return (['preconditions', 'clarificationPrompts', 'metaGuidance'] as const).flatMap((field) =>
    textsOf(definition[field], `/${field}`),
  );
}

/** The templates of a step; of a loop without its body. */
export function* templatesOf(step: Step, pointer: string): Generator<Template> {
  yield { text: step.title, pointer: `${pointer}/title` };
  if (step.type === 'loop') return;
  yield { text: step.prompt, pointer: `${pointer}/prompt` };
  if (step.agentRole !== undefined) yield { text: step.agentRole, pointer: `${pointer}/agentRole` };
  yield* textsOf(step.guidance, `${pointer}/guidance`);
}

function textsOf(texts: readonly string[] | undefined, pointer: string): readonly Template[] {
  return (texts ?? []).map((text, index) => ({ text, pointer: `${pointer}/${index}` }));
}

const none: ReadonlySet<string> = new Set();

/** The first parts of the variables a template shows, each once. */
export function rootsIn(text: string): ReadonlySet<string> {
  if (!text.includes('{{')) return none;
  return new Set(
    Array.from(text.matchAll(/\{\{\s*([\w-]+)(?:\.[\w.-]*)?\s*\}\}/g), ([, root]) => root ?? ''),
  );
}
