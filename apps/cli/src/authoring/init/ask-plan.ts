import { intro, isCancel, select, text } from '@clack/prompts';
import { WorkflowError } from '@workflowlookup/schema';
import type { InitFlags, InitPlan } from './init-plan.ts';
import { templateOf, titleFrom, wrongId, wrongTitle } from './init-plan.ts';
import type { Template } from './template.ts';
import { templates } from './templates/templates.ts';

/** Standard output is for what was asked for. */
const output = process.stderr;

/** Asks a person for what the flags leave open. @throws WorkflowError INVALID_PARAMS where they leave */
export async function askPlan(flags: InitFlags): Promise<InitPlan> {
  intro('A new workflow', { output });
  const kind = flags.kind ?? (await answerTo(select({ output, message: 'Of which kind?', options: kinds })));
  const template = flags.template === undefined ? await askTemplate(kind) : templateOf(kind, flags.template);
  const id = await answerTo(
    text({
      output,
      message: 'By which id do agents call it?',
      placeholder: 'tea-time',
      validate: (answer = '') => wrongId(answer),
    }),
  );
  const title = flags.title ?? (await askTitle(id));
  return { template, id, title };
}

const kinds: { value: Template['kind']; label: string; hint: string }[] = [
  { value: 'step', label: 'Step workflow', hint: 'one file, steps in order' },
  { value: 'activity', label: 'Activity workflow', hint: 'a folder, activities joined by ways' },
];

async function askTemplate(kind: Template['kind']): Promise<Template> {
  const options = templates
    .filter((template) => template.kind === kind)
    .map((template) => ({ value: template, label: template.name, hint: template.about }));
  return answerTo(select({ output, message: 'From which template?', options }));
}

function askTitle(id: string): Promise<string> {
  const initialValue = titleFrom(id);
  return answerTo(
    text({
      output,
      message: 'What do people call it?',
      initialValue,
      validate: (answer = '') => wrongTitle(answer),
    }),
  );
}

async function answerTo<Answer>(question: Promise<Answer>): Promise<Exclude<Answer, symbol>> {
  const answer = await question;
  if (isCancel(answer)) throw new WorkflowError('INVALID_PARAMS', 'Nothing was made.');
  return answer as Exclude<Answer, symbol>;
}
