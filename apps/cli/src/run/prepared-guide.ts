import { readFile } from 'node:fs/promises';
import type { Question } from '@workflowlookup/core/operator';
import type { JsonObject } from '@workflowlookup/schema';
import { WorkflowError, idInCommand, isJsonObject } from '@workflowlookup/schema';
import type { CommandLine } from '../command-line.ts';
import { messages } from '../messages.ts';
import type { Guide } from './work-through.ts';
import { readJson } from './work-through.ts';

interface OpenGuide extends Guide {
  readonly isPrepared: boolean;
  close(): Promise<void>;
}

/**
 * Opens the source of the work: the files if any are named, one output each; a person at a terminal; otherwise the
 * lines of standard input.
 *
 * @throws WorkflowError INVALID_INPUT if there is no input; then nothing has been started
 */
export async function openGuide(
  line: CommandLine,
  files: readonly string[],
  signal: AbortSignal,
): Promise<OpenGuide> {
  if (files.length > 0) return prepared(textsOf(files));
  if (line.terminal.isInteractive) {
    const { terminalGuide } = await import('./terminal-guide.ts');
    return { ...terminalGuide(line.env, signal), isPrepared: false, close: () => Promise.resolve() };
  }
  const replies = repliesIn(line.terminal.lines(signal));
  const first = await replies.next();
  if (first.done === true) throw noInput();
  return prepared(startingWith(first.value, replies));
}

function prepared(replies: AsyncGenerator<PreparedReply, void>): OpenGuide {
  return { ...linesGuide(replies), isPrepared: true, close: async () => void (await replies.return()) };
}

async function* textsOf(files: readonly string[]): AsyncGenerator<PreparedReply, void> {
  for (const file of files) yield { text: await readFile(file, 'utf8') };
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T, void> {
  yield first;
  yield* rest;
}

function noInput(): WorkflowError {
  return new WorkflowError('INVALID_INPUT', messages.run.noInput);
}

/** Returns a guide that gives prepared replies in order: outputs of steps and answers to checkpoints. */
function linesGuide(replies: AsyncIterator<PreparedReply, unknown>): Guide {
  const next = async (): Promise<PreparedReply | undefined> => {
    const { done, value } = await replies.next();
    return done === true ? undefined : value;
  };
  return {
    mayTryAgain: false,
    async work() {
      const reply = await next();
      if (reply === undefined) return undefined;
      const { text, output = text, variables, step, activity } = reply;
      return {
        output,
        ...(variables === undefined ? {} : { variables }),
        ...(step === undefined ? {} : { step }),
        ...(activity === undefined ? {} : { activity }),
      };
    },
    async answer(question) {
      if (question.answeredBy === 'person') throw needsTerminal(question);
      const reply = await next();
      if (reply === undefined) return undefined;
      const { note } = reply;
      const option = optionIn(question, reply.option ?? reply.text.trim());
      return { option, ...(note !== undefined && { note }) };
    },
    // The server then takes the first open transition, as for an agent that names none.
    chooseActivity: () => Promise.resolve(undefined),
  };
}

function optionIn({ checkpoint: { id, options } }: Question, named: string): string {
  const ids = options.map((option) => option.id);
  if (ids.includes(named)) return named;
  throw new WorkflowError('INVALID_INPUT', messages.checkpoints.noOption(id, named, ids.join(', ')));
}

function needsTerminal({ checkpoint, sid }: Question): WorkflowError {
  return new WorkflowError(
    'HUMAN_REQUIRED',
    messages.checkpoints.needsTerminal(checkpoint.id, `workflowlookup sessions resume ${idInCommand(sid)}`),
  );
}

/** A prepared reply to a step or a checkpoint. */
interface PreparedReply {
  /** The line as written. */
  readonly text: string;
  readonly output?: string;
  readonly variables?: JsonObject;
  /** The option that answers a checkpoint, and a note for the agent. */
  readonly option?: string;
  readonly note?: string;
  readonly step?: string;
  /** The activity to enter next. */
  readonly activity?: string;
}

const fields = new Set(['output', 'variables', 'option', 'note', 'step', 'activity']);

/**
 * Reads a line: a JSON object with the fields of a reply, a JSON string, or plain text. An output that is not a
 * string is submitted as JSON.
 */
function readReply(line: string): PreparedReply {
  const value = readJson(line);
  if (typeof value === 'string') return { text: value };
  if (!isJsonObject(value) || !Object.keys(value).every((key) => fields.has(key))) return { text: line };
  const { output, variables, option, note, step, activity } = value;
  return {
    text: line,
    ...(output === undefined ? {} : { output: typeof output === 'string' ? output : JSON.stringify(output) }),
    ...(isJsonObject(variables) ? { variables } : {}),
    ...(typeof option === 'string' ? { option } : {}),
    ...(typeof note === 'string' ? { note } : {}),
    ...(typeof step === 'string' ? { step } : {}),
    ...(typeof activity === 'string' ? { activity } : {}),
  };
}

/** Yields the replies in lines, without empty ones. */
async function* repliesIn(lines: AsyncIterable<string>): AsyncGenerator<PreparedReply, void> {
  for await (const line of lines) if (line.trim() !== '') yield readReply(line);
}
