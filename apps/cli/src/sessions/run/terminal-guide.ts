import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCancel, multiline, select, text } from '@clack/prompts';
import type { Question, TaskVariable } from '@workflowlookup/core/operator';
import { markedCheckpoint } from '@workflowlookup/core/sessions';
import type { Json } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { Environment } from '../../commands/command-line.ts';
import { actTexts as acts, runMessages } from '../../messages/sessions.ts';
import { plainLine } from '../../terminal/plain-text.ts';
import { shellWord } from '../../commands/command-line.ts';
import type { GivenAnswer, RequiredStep, Guide, Work } from './work-through.ts';
import { labelsFor, readVariable, taskText } from './work-through.ts';

const texts = runMessages;

/** Options of every question. Questions go to standard error, because standard output is for the result. */
interface Asking {
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Returns a guide that asks a person, who writes in an editor or in the terminal, until the signal ends it. */
export function terminalGuide(env: Environment, signal: AbortSignal): Guide {
  const asking: Asking = { output: process.stderr, signal };
  return {
    mayTryAgain: true,
    work: (required) => doStep(asking, required, editorOf(env)),
    answer: (question) => chooseOption(asking, question),
    chooseActivity: async (_task, activities) =>
      choose(
        asking,
        texts.whichActivity,
        activities.map((activity) => ({ value: activity, label: plainLine(activity) })),
      ),
  };
}

type Act = 'again' | 'edit' | 'hand-in' | 'insist' | 'other' | 'type' | 'variable';

/** Asks what to do about a step until there is something to submit. */
async function doStep(
  asking: Asking,
  required: RequiredStep,
  editor: string | undefined,
): Promise<Work | undefined> {
  let { draft } = required;
  let step = required.step.id;
  let isRefused = required.issues !== undefined;
  const variables: Record<string, Json> = {};
  for (;;) {
    const choices = actsOf(required, { draft, isRefused, editor });
    const act = await choose<Act>(asking, `${plainLine(step)}:`, choices);
    if (act === undefined) return undefined;
    const isDone = act === 'hand-in' || act === 'insist';
    if (isDone && draft !== undefined)
      return { output: draft, variables, step, ...(act === 'insist' ? { isForced: true } : {}) };
    if (act === 'variable') await setVariable(asking, required.task.variables, variables);
    else if (act === 'other') step = (await chooseStep(asking, required)) ?? step;
    else {
      const written = await write(asking, required, { act, draft, editor });
      if (written !== undefined) [draft, isRefused] = [written, false];
    }
  }
}

interface DraftState {
  readonly draft: string | undefined;
  readonly isRefused: boolean;
  readonly editor: string | undefined;
}

interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

function actsOf(
  { task, issues }: RequiredStep,
  { draft, isRefused, editor }: DraftState,
): readonly Choice<Act>[] {
  const written = draft !== undefined && draft.trim() !== '';
  const isInsistable = written && issues !== undefined && isRefused && task.enforcement === 'advisory';
  const hasOthers = task.steps.some(({ isDue }) => !isDue);
  return [
    ...(written && !isRefused ? [{ value: 'hand-in', label: acts.submit } as const] : []),
    ...(editor === undefined
      ? []
      : [{ value: 'edit', label: written ? acts.change : acts.write, hint: editor } as const]),
    { value: 'type', label: acts.type },
    ...(task.variables.length === 0 ? [] : [{ value: 'variable', label: acts.variable } as const]),
    ...(hasOthers ? [{ value: 'other', label: acts.other } as const] : []),
    ...(isInsistable ? [{ value: 'insist', label: acts.insist } as const] : []),
  ];
}

async function write(
  asking: Asking,
  { task, step }: RequiredStep,
  { act, draft = labelsFor(step), editor }: Pick<DraftState, 'draft' | 'editor'> & { readonly act: Act },
): Promise<string | undefined> {
  if (act === 'edit' && editor !== undefined)
    return writeInEditor(editor, { draft, beside: taskText({ task, step }) });
  return answered(multiline({ ...asking, message: texts.output, initialValue: draft }));
}

async function setVariable(
  asking: Asking,
  declared: readonly TaskVariable[],
  values: Record<string, Json>,
): Promise<void> {
  const choices = declared.map((variable) => {
    const { name, type, value = null } = variable;
    const hint = plainLine(texts.now(type, JSON.stringify(values[name] ?? value)));
    return { value: variable, label: plainLine(name), hint };
  });
  const chosen = await choose(asking, texts.whichVariable, choices);
  if (chosen === undefined) return;
  const typed = await answered(
    text({
      ...asking,
      message: `${plainLine(chosen.name)}:`,
      validate: (value = '') => wrongValue(chosen, value),
    }),
  );
  if (typed !== undefined) values[chosen.name] = readVariable(chosen, typed);
}

function wrongValue(variable: TaskVariable, typed: string): string | undefined {
  try {
    readVariable(variable, typed);
    return undefined;
  } catch (error) {
    if (error instanceof WorkflowError) return error.message;
    throw error;
  }
}

function chooseStep(asking: Asking, { task }: RequiredStep): Promise<string | undefined> {
  const choices = task.steps
    .filter(({ isDue }) => !isDue)
    .map(({ id, name }) => ({ value: id, label: plainLine(id), hint: plainLine(name) }));
  return choose(asking, texts.whichStep, choices);
}

/** The choice that asks for a note before the answer. It is no id of an option. */
const withNote = Symbol('note');

/** Asks for an option. A person may write a note first, and must if the option requires one. */
async function chooseOption(asking: Asking, question: Question): Promise<GivenAnswer | undefined> {
  const checkpoint = markedCheckpoint(question);
  const options = checkpoint.options.map(({ id, label, description }) => ({
    value: id,
    label: plainLine(label),
    ...(description === undefined ? {} : { hint: plainLine(description) }),
  }));
  const name = plainLine(checkpoint.name);
  const first = await choose<string | typeof withNote>(asking, name, [
    ...options,
    { value: withNote, label: texts.withNote },
  ]);
  if (first === undefined) return undefined;
  const early = first === withNote ? await askNote(asking) : undefined;
  if (first === withNote && early === undefined) return undefined;
  const option = first === withNote ? await choose(asking, name, options) : first;
  if (option === undefined) return undefined;
  const isRequired = checkpoint.options.some((one) => one.id === option && one.note === 'required');
  const note = early ?? (isRequired ? await askNote(asking) : undefined);
  if (isRequired && note === undefined) return undefined;
  return { option, note };
}

function askNote(asking: Asking): Promise<string | undefined> {
  return answered(
    text({
      ...asking,
      message: texts.note,
      validate: (value = '') => (value.trim() === '' ? texts.noteMissing : undefined),
    }),
  );
}

async function choose<Value>(
  asking: Asking,
  message: string,
  choices: readonly Choice<Value>[],
): Promise<Value | undefined> {
  const options = choices.map((choice, at) => ({ ...choice, value: at }));
  const at = await answered(select({ ...asking, message, options }));
  return at === undefined ? undefined : choices[at]?.value;
}

/** Returns the answer, or `undefined` if the person cancelled. */
async function answered<Answer>(asked: Promise<Answer>): Promise<Exclude<Answer, symbol> | undefined> {
  const answer = await asked;
  return isCancel(answer) ? undefined : (answer as Exclude<Answer, symbol>);
}

/** The line between the person's text and the reference text below it. */
const cut = `<!-- ------ ${texts.restIgnored} ------ -->`;

/** Returns the editor of the environment, as Git does: `VISUAL`, then `EDITOR`. */
function editorOf({ VISUAL, EDITOR }: Environment): string | undefined {
  return [VISUAL, EDITOR].find((editor) => editor !== undefined && editor.trim() !== '');
}

/**
 * Lets a person write a text in their editor, with a reference text below it.
 *
 * @throws WorkflowError INVALID_INPUT
 */
async function writeInEditor(
  editor: string,
  { draft, beside }: { readonly draft: string; readonly beside: string },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'workflowlookup-'));
  try {
    const file = join(folder, 'OUTPUT.md');
    await writeFile(file, `${draft}\n\n${cut}\n\n${beside}\n`, { mode: 0o600 });
    await runEditor(editor, file);
    const written = await readFile(file, 'utf8');
    return (written.split(cut)[0] ?? '').trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** While the editor runs, it handles Ctrl-C. */
async function runEditor(editor: string, file: string): Promise<void> {
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      spawn(`${editor} ${shellWord(file)}`, { shell: true, stdio: 'inherit' })
        .once('error', reject)
        .once('close', resolve);
    });
    if (code === 0) return;
    throw new WorkflowError('INVALID_INPUT', runMessages.editorFailed(editor, code));
  } finally {
    process.off('SIGINT', ignore);
  }
}
