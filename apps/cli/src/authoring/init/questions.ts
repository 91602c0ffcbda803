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
  intro(initMessages.intro, { output });
  const kind =
    flags.kind ?? (await answerTo(select({ output, message: initMessages.whichKind, options: kinds })));
  const template = flags.template === undefined ? await askTemplate(kind) : templateOf(kind, flags.template);
  const id = await answerTo(
    text({
      output,
      message: initMessages.whichId,
      placeholder: 'tea-time',
      validate: (answer = '') => wrongId(answer),
    }),
  );
  const title =
    flags.title ??
    (await answerTo(
      text({
        output,
        message: initMessages.whichTitle,
        initialValue: titleFrom(id),
        validate: (answer = '') => wrongTitle(answer),
      }),
    ));
  return { template, id, title };
}

const kinds: { value: Template['kind']; label: string; hint: string }[] = [
  { value: 'step', label: initMessages.stepKind, hint: initMessages.stepHint },
  { value: 'activity', label: initMessages.activityKind, hint: initMessages.activityHint },
];

async function askTemplate(kind: Template['kind']): Promise<Template> {
  const options = templates
    .filter((template) => template.kind === kind)
    .map((template) => ({ value: template, label: template.name, hint: template.about }));
  return answerTo(select({ output, message: initMessages.whichTemplate, options }));
}

async function answerTo<Answer>(question: Promise<Answer>): Promise<Exclude<Answer, symbol>> {
  const answer = await question;
  if (isCancel(answer)) throw new WorkflowError('CANCELLED', initMessages.cancelled);
  return answer as Exclude<Answer, symbol>;
}
