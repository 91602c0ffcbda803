import type {
  Outline,
  OutlinedActivity,
  OutlinedActivityLoop,
  OutlinedActivityStep,
  OutlinedCheckpoint,
  OutlinedField,
  OutlinedOption,
  OutlinedStep,
} from '@workflowlookup/diagrams';
import { outlineOf } from '@workflowlookup/diagrams';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import type { SourceFlags } from '../commands/options.ts';
import { outlineMessages as texts } from '../messages/definitions.ts';
import { withDefinitions } from '../open-host.ts';
import { indented, plainLine, plainLines } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Prints the outline of a workflow. */
export async function show(context: CommandContext, id: string, flags: SourceFlags): Promise<ExitCode> {
  return withDefinitions(
    context,
    flags,
    async ({ engine, definitions }) => {
      const shown = { ...outlineOf(await engine.get(id)), ...(await definitions.origin(id)) };
      return context.answer(shown, () => outlineText(shown, context.terminal));
    },
    { shows: id },
  );
}

function outlineText(
  outline: Outline & { readonly source?: string; readonly file?: string },
  terminal: Terminal,
): string {
  const { id, name, version, description, variables, source, file, steps = [], activities = [] } = outline;
  const { paint } = terminal;
  const parts = [
    `${paint('bold', plainLine(id))}  ${plainLine(name)}  ${plainLine(version)}`,
    ...(description === '' ? [] : [plainLines(description)]),
    ...(source === undefined ? [] : [paint('dim', texts.from(source, plainLine(file ?? '')))]),
  ];
  const declared = variables.map(({ name: variable, type, default: value, description: what = '' }) => [
    variable,
    type,
    value === undefined ? '' : `= ${JSON.stringify(value)}`,
    what,
  ]);
  return [
    parts.join('\n'),
    ...(declared.length === 0 ? [] : [`${texts.variables}\n${indented(declared)}`]),
    ...(steps.length === 0 ? [] : [stepLines(steps, terminal).join('\n')]),
    ...activities.map((activity, at) => activityLines(activity, at + 1, terminal).join('\n')),
  ].join('\n\n');
}

/** Formats the steps of a step workflow: one line each, with its details below. */
function stepLines(
  steps: readonly OutlinedStep[],
  terminal: Terminal,
  number: (at: number) => string = (at) => `${at}`,
): readonly string[] {
  const { paint } = terminal;
  return steps.flatMap((step, index) => {
    const label = number(index + 1);
    const indent = ' '.repeat(label.length + 2);
    const { body } = step;
    const inner = typeof body === 'object' ? stepLines(body, terminal, (at) => `${label}.${at}`) : [];
    return [
      `${label}. ${paint('bold', plainLine(step.id))}  ${plainLine(step.title)}`,
      ...notesOf(step).map((note) => indent + paint('dim', plainLine(note))),
      ...inner.map((line) => `  ${line}`),
    ];
  });
}

function notesOf({
  when,
  rounds,
  body,
  confirmation,
  criteria = [],
  fields = [],
}: OutlinedStep): readonly string[] {
  return [
    ...(when === undefined ? [] : [texts.when(when)]),
    ...(rounds === undefined ? [] : [texts.repeats(typeof body === 'string' ? body : undefined, rounds)]),
    ...(confirmation === undefined ? [] : [confirmationText(confirmation)]),
    ...fieldLines(fields),
    ...criteria.map(texts.refusedWith),
  ];
}

/** Formats the fields of an output as a table. */
function fieldLines(fields: readonly OutlinedField[]): readonly string[] {
  if (fields.length === 0) return [];
  const rows = fields.map(({ id, takes, isRequired, description = '', sets = [] }) => [
    id,
    texts.field(takes, isRequired, sets),
    description,
  ]);
  return [texts.fields, ...indented(rows).split('\n')];
}

function confirmationText({ approver, when }: NonNullable<OutlinedStep['confirmation']>): string {
  return when === undefined ? texts[approver] : `${texts[approver]} ${texts.when(when)}`;
}

function activityLines(activity: OutlinedActivity, number: number, { paint }: Terminal): readonly string[] {
  const { id, name, isFirst, lender, steps, loops, checkpoints, transitions } = activity;
  const notes = [
    ...(isFirst ? [texts.first] : []),
    ...(lender === undefined ? [] : [texts.borrowed(plainLine(lender))]),
  ];
  const note = notes.length === 0 ? '' : `  ${paint('dim', `(${notes.join(', ')})`)}`;
  const lines = [
    ...steps.flatMap(activityStepLines),
    ...loops.flatMap(loopLines),
    ...checkpoints.flatMap(checkpointLines),
    ...transitions.map(({ to, when, isDefault, decision }) =>
      texts.transition(to, when, isDefault, decision),
    ),
  ];
  return [
    `${number}. ${paint('bold', plainLine(id))}  ${plainLine(name)}${note}`,
    ...lines.map((line) => `   ${plainLine(line)}`),
  ];
}

function activityStepLines(step: OutlinedActivityStep): readonly string[] {
  const { id, name, when, checkpoint, isOptional, criteria = [], fields = [], starts = [] } = step;
  const notes = [
    ...(when === undefined ? [] : [texts.when(when)]),
    ...(checkpoint === undefined ? [] : [texts.stopsAt(checkpoint)]),
    ...(isOptional ? [texts.optional] : []),
    ...starts.map(texts.starts),
  ];
  return [
    texts.step(titled(id, name), inBrackets(notes)),
    ...fieldLines(fields).map((line) => `  ${line}`),
    ...criteria.map((sentence) => `  ${texts.refusedWith(sentence)}`),
  ];
}

function loopLines({ id, rounds, steps, activities = [] }: OutlinedActivityLoop): readonly string[] {
  return [
    texts.loop(id, activities, inBrackets([rounds])),
    ...steps.flatMap(activityStepLines).map((line) => `  ${line}`),
  ];
}

function checkpointLines({ id, name, when, approver, options }: OutlinedCheckpoint): readonly string[] {
  const notes = [
    ...(when === undefined ? [] : [texts.when(when)]),
    ...(approver === 'human' ? [texts.personAnswers] : []),
  ];
  return [
    texts.checkpoint(titled(id, name), inBrackets(notes)),
    ...options.map((option) => `  ${optionLine(option)}`),
  ];
}

function optionLine({ id, label, sets = {}, leadsTo, skips = [] }: OutlinedOption): string {
  const effects = [
    ...Object.entries(sets).map(([name, value]) => texts.sets(name, JSON.stringify(value))),
    ...(leadsTo === undefined ? [] : [texts.leadsTo(leadsTo)]),
    ...(skips.length === 0 ? [] : [texts.skips(skips)]),
  ];
  return `${titled(id, label)}${inBrackets(effects)}`;
}

function titled(id: string, title = ''): string {
  return title === '' ? id : `${id}  ${title}`;
}

function inBrackets(notes: readonly string[]): string {
  return notes.length === 0 ? '' : `  (${notes.join('; ')})`;
}
