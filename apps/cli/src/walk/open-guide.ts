import { readFile } from 'node:fs/promises';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine } from '../command-line.ts';
import type { Guide } from './guide.ts';
import { linesGuide } from './lines-guide.ts';
import type { PreparedReply } from './prepared-reply.ts';
import { repliesIn } from './prepared-reply.ts';

/** A guide, and whether all it does was prepared: where that ends, what was asked for is done. */
export interface OpenGuide extends Guide {
  readonly isPrepared: boolean;
  /** Lets go of what it reads from. */
  close(): Promise<void>;
}

/**
 * Who does the work: what the files say, one output each; a person where there is a terminal; else the lines of standard
 * input. @throws WorkflowError INVALID_PARAMS where nobody does, before anything is started
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
  if (first.done === true) throw nobody();
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

function nobody(): WorkflowError {
  return new WorkflowError(
    'INVALID_PARAMS',
    'Standard input is no terminal and has no lines. Run it at a terminal, give each output as a line (a text, or JSON such as {"output": "…", "variables": {…}}), or name files with --output.',
  );
}
