import { isCancel, multiline, select, text } from '@clack/prompts';
import type { Question, TaskVariable } from '@workflowlookup/core';
import { markedCheckpoint } from '@workflowlookup/core';
import type { Json } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { Environment } from '../command-line.ts';
import { plainLine } from '../plain-text.ts';
import { editorOf, writeInEditor } from './editor.ts';
import type { Due, Guide, Work } from './guide.ts';
import { readVariable } from './read-variable.ts';
import { taskText } from './task-text.ts';

/** Where a person is asked, and what ends the asking. Standard output is for what was asked for. */
interface Asking {
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** A person at a terminal, who writes in an editor or in the terminal itself, until the signal ends it. */
export function terminalGuide(env: Environment, signal: AbortSignal): Guide {
  const asking: Asking = { output: process.stderr, signal };
  return {
    mayTryAgain: true,
    work: (due) => doStep(asking, due, editorOf(env)),
    answer: (question) => chooseOption(asking, question),
    way: async (_task, ways) =>
      choose(
        asking,

        'Where does it go on?',
        ways.map((way) => ({ value: way, label: plainLine(way) })),
      ),
  };
}

type Act = 'again' | 'edit' | 'hand-in' | 'insist' | 'other' | 'type' | 'variable';

/** Asks what to do about a step until something is handed in. */
async function doStep(asking: Asking, due: Due, editor: string | undefined): Promise<Work | undefined> {
  let { draft } = due;
  let step = due.step.id;
  let isRefused = due.issues !== undefined;
  const variables: Record<string, Json> = {};
  for (;;) {
    const act = await choose<Act>(asking, `${plainLine(step)}:`, actsOf(due, { draft, isRefused, editor }));
    if (act === undefined) return undefined;
    const isDone = act === 'hand-in' || act === 'insist';
    if (isDone && draft !== undefined) {
      return { output: draft, variables, step, ...(act === 'insist' ? { isInsisted: true } : {}) };
    }
    if (act === 'variable') await setVariable(asking, due.task.variables, variables);
    else if (act === 'other') step = (await chooseStep(asking, due)) ?? step;
    else {
      const written = await write(asking, due, { act, draft: draft ?? '', editor });
      if (written !== undefined) [draft, isRefused] = [written, false];
    }
  }
}

interface Standing {
  readonly draft: string | undefined;
  readonly isRefused: boolean;
  readonly editor: string | undefined;
}

interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

function actsOf({ task, issues }: Due, { draft, isRefused, editor }: Standing): readonly Choice<Act>[] {
  const written = draft !== undefined && draft.trim() !== '';
  const isInsistable = written && issues !== undefined && isRefused && task.enforcement === 'advisory';
  const hasOthers = task.steps.some(({ isDue }) => !isDue);
  return [
    ...(written && !isRefused ? [{ value: 'hand-in', label: 'Hand it in' } as const] : []),
    ...(editor === undefined
      ? []
      : [
          { value: 'edit', label: written ? 'Change the output' : 'Write the output', hint: editor } as const,
        ]),
    { value: 'type', label: 'Type the output here' },
    ...(task.variables.length === 0 ? [] : [{ value: 'variable', label: 'Set a variable' } as const]),
    ...(hasOthers ? [{ value: 'other', label: 'Account for a step that may be left out' } as const] : []),
    ...(isInsistable ? [{ value: 'insist', label: 'Hand it in all the same' } as const] : []),
  ];
}

async function write(
  asking: Asking,
  { task, step }: Due,
  { act, draft, editor }: { readonly act: Act; readonly draft: string; readonly editor: string | undefined },
): Promise<string | undefined> {
  if (act === 'edit' && editor !== undefined) {
    return writeInEditor(editor, { draft, beside: taskText({ task, step }) });
  }
  return told(multiline({ ...asking, message: 'The output:', initialValue: draft }));
}

async function setVariable(
  asking: Asking,
  declared: readonly TaskVariable[],
  values: Record<string, Json>,
): Promise<void> {
  const chosen = await choose(
    asking,
    'Which variable?',
    declared.map((variable) => ({
      value: variable,
      label: plainLine(variable.name),
      hint: plainLine(
        `${variable.type}, now ${JSON.stringify(values[variable.name] ?? variable.value ?? null)}`,
      ),
    })),
  );
  if (chosen === undefined) return;
  const typed = await told(
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

async function chooseStep(asking: Asking, { task }: Due): Promise<string | undefined> {
  const others = task.steps.filter(({ isDue }) => !isDue);
  return choose(
    asking,
    'Which step?',
    others.map(({ id, name }) => ({ value: id, label: plainLine(id), hint: plainLine(name) })),
  );
}

function chooseOption(asking: Asking, question: Question): Promise<string | undefined> {
  const checkpoint = markedCheckpoint(question);
  return choose(
    asking,
    plainLine(checkpoint.name),
    checkpoint.options.map(({ id, label, description }) => ({
      value: id,
      label: plainLine(label),
      ...(description === undefined ? {} : { hint: plainLine(description) }),
    })),
  );
}

async function choose<Value>(
  asking: Asking,
  message: string,
  choices: readonly Choice<Value>[],
): Promise<Value | undefined> {
  const options = choices.map((choice, at) => ({ ...choice, value: at }));
  const at = await told(select({ ...asking, message, options }));
  return at === undefined ? undefined : choices[at]?.value;
}

/** What was answered; `undefined` where the person left. */
async function told<Answer>(asked: Promise<Answer>): Promise<Exclude<Answer, symbol> | undefined> {
  const answer = await asked;
  return isCancel(answer) ? undefined : (answer as Exclude<Answer, symbol>);
}
