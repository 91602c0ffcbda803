import { intro, isCancel, select, text } from '@clack/prompts';
import { WorkflowError } from '@workflowlookup/schema';
import { initMessages } from '../../messages/authoring.ts';
import type { InitFlags, InitPlan } from './init.ts';
import { templateOf, titleFrom, wrongId, wrongTitle } from './init.ts';
import type { Template } from './templates.ts';
import { templates } from './templates.ts';

/** Questions go to standard error, because standard output is for the result. */
const output = process.stderr;

/**
 * Asks a person for what the flags leave open.
 *
 * @throws WorkflowError INVALID_INPUT if they cancel
 */
export async function askPlan(flags: InitFlags): Promise<InitPlan> {
  intro('A new workflow', { output });
  const kind =
    flags.kind ?? (await answerTo(select({ output, message: 'Which kind of workflow?', options: kinds })));
  const template = flags.template === undefined ? await askTemplate(kind) : templateOf(kind, flags.template);
  const id = await answerTo(
    text({
      output,
      message: 'Id of the workflow?',
      placeholder: 'tea-time',
      validate: (answer = '') => wrongId(answer),
    }),
  );
  const title =
    flags.title ??
    (await answerTo(
      text({
        output,
        message: 'Title of the workflow?',
        initialValue: titleFrom(id),
        validate: (answer = '') => wrongTitle(answer),
      }),
    ));
  return { template, id, title };
}

const kinds: { value: Template['kind']; label: string; hint: string }[] = [
  { value: 'step', label: 'Step workflow', hint: 'one file, steps in order' },
  { value: 'activity', label: 'Activity workflow', hint: 'a folder, activities joined by transitions' },
];

async function askTemplate(kind: Template['kind']): Promise<Template> {
  const options = templates
    .filter((template) => template.kind === kind)
    .map((template) => ({ value: template, label: template.name, hint: template.about }));
  return answerTo(select({ output, message: 'Which template?', options }));
}

async function answerTo<Answer>(question: Promise<Answer>): Promise<Exclude<Answer, symbol>> {
  const answer = await question;
  if (isCancel(answer)) throw new WorkflowError('CANCELLED', initMessages.cancelled);
  return answer as Exclude<Answer, symbol>;
}
