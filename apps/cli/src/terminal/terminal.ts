import type { Environment, ExitCode } from '../commands/command-line.ts';
import { exitCodes } from '../commands/command-line.ts';
import { fileMessages, terminalMessages } from '../messages/common.ts';
import { jsonText, printable, withoutControls } from './plain-text.ts';

/** How a text is emphasized if colours are on. */
export type Emphasis = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

export interface Terminal {
  /** Whether the program can ask a person. */
  readonly isInteractive: boolean;
  /** Prints a text for people to standard output. Control characters, and commands to a CI service, become visible. */
  print(text: string): Promise<void>;
  /** Prints data for programs to standard output, unchanged. At a terminal, control characters become visible. */
  printExact(text: string): Promise<void>;
  /** Prints everything else to standard error, like `print`. */
  warn(text: string): Promise<void>;
  /** Asks the person a question; `undefined` if they leave. */
  ask(question: string): Promise<string | undefined>;
  paint(emphasis: Emphasis, text: string): string;
  /** The lines of standard input, until the signal ends them. */
  lines(signal?: AbortSignal): AsyncIterable<string>;
}

export interface Output {
  readonly terminal: Terminal;
  readonly asJson: boolean;
  /** Prints a value as JSON, or the text for people. Returns the exit code, which says whether all was in order. */
  answer(value: unknown, text: () => string | Promise<string>, isOk?: boolean): Promise<ExitCode>;
  /** Prints a value as JSON, or the text of a file as it is. Returns the exit code of success. */
  answerExact(value: unknown, text: () => string | Promise<string>): Promise<ExitCode>;
}

export function createOutput(terminal: Terminal, asJson: boolean): Output {
  const printJson = (value: unknown): Promise<void> => terminal.printExact(`${jsonText(value, 2)}\n`);
  return {
    terminal,
    asJson,
    async answer(value, text, isOk = true) {
      await (asJson ? printJson(value) : terminal.print(`${await text()}\n`));
      return isOk ? exitCodes.ok : exitCodes.findings;
    },
    async answerExact(value, text) {
      await (asJson ? printJson(value) : terminal.printExact(await text()));
      return exitCodes.ok;
    },
  };
}

/** A question before an action that can't be undone. */
interface Confirmation {
  readonly yes: boolean;
  readonly question: string;
  /** What `--yes` is needed for, if nobody can be asked: `to abandon a session`. */
  readonly needed: string;
  /** The error message if the person declines. */
  readonly declined: string;
}

/**
 * Returns if the person agrees, or agreed with `--yes`.
 *
 * @throws WorkflowError CANCELLED if the person declines, INVALID_INPUT if nobody can be asked
 */
export async function requireConfirmation(
  terminal: Pick<Terminal, 'isInteractive' | 'ask'>,
  { yes, question, needed, declined }: Confirmation,
): Promise<void> {
  if (yes) return;
  const { WorkflowError } = await import('@workflowlookup/schema');
  if (!terminal.isInteractive) throw new WorkflowError('INVALID_INPUT', terminalMessages.needsYes(needed));
  if (!(await agrees(terminal, `${question} (y/N) `))) throw new WorkflowError('CANCELLED', declined);
}

/** Asks a question, and returns whether the answer is `y` or `yes`. */
export async function agrees(terminal: Pick<Terminal, 'ask'>, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await terminal.ask(question)) ?? '');
}

/**
 * Returns if a person is at the terminal. An agent must not decide, and a pipe may show it what it must not see.
 *
 * @throws WorkflowError HUMAN_REQUIRED with this message
 */
export async function requireTerminal(
  { isInteractive }: Pick<Terminal, 'isInteractive'>,
  message: string,
): Promise<void> {
  if (isInteractive) return;
  const { WorkflowError } = await import('@workflowlookup/schema');
  throw new WorkflowError('HUMAN_REQUIRED', message);
}

/** Returns the terminal of this process. Its streams open on first use because each takes a while. */
export function processTerminal(env: Environment): Terminal {
  const mayColour = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return {
    get isInteractive() {
      return process.stdin.isTTY && process.stderr.isTTY;
    },
    print: (text) => write(process.stdout, printable(text)),
    printExact: (text) => write(process.stdout, process.stdout.isTTY ? withoutControls(text) : text),
    warn: (text) => write(process.stderr, printable(text)),
    ask,
    paint: (emphasis, text) => (mayColour && process.stdout.isTTY ? styled(emphasis, text) : text),
    // The reader is created on first use, because before that it would drop input.
    async *lines(signal) {
      const { createInterface } = await import('node:readline');
      yield* createInterface({ input: process.stdin, crlfDelay: Infinity, ...(signal && { signal }) });
    },
  };
}

/** Loads the styling code with the first text that has a style. */
function styled(emphasis: Emphasis, text: string): string {
  return process.getBuiltinModule('node:util').styleText(emphasis, text, { validateStream: false });
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  exitWhenUnwritable(stream);
  // A stream that can't be written ends the process.
  return new Promise((resolve) => {
    stream.write(text, (error) => {
      if (error === undefined || error === null) resolve();
    });
  });
}

/** Asks a question. The end of the input, or Ctrl-C, means that the person leaves. */
async function ask(question: string): Promise<string | undefined> {
  const { createInterface } = await import('node:readline');
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    reader.once('close', () => resolve(undefined));
    reader.once('SIGINT', () => {
      process.stderr.write('\n');
      reader.close();
    });
    reader.question(printable(question), (answer) => {
      resolve(answer.trim());
      reader.close();
    });
  });
}

const watched = new WeakSet<NodeJS.WriteStream>();

/**
 * Ends the process when a stream can't be written: quietly if the reader closed it, otherwise with an error on
 * standard error, because lost output must not look like success.
 */
export function exitWhenUnwritable(stream: NodeJS.WriteStream, asJson = false): void {
  if (watched.has(stream)) return;
  watched.add(stream);
  stream.on('error', (error) => exitUnwritten(stream, error, asJson));
}

/** Ends the process after a stream could not be written, as {@link exitWhenUnwritable} does. */
export function exitUnwritten(
  stream: NodeJS.WriteStream,
  { code = 'UNKNOWN' }: NodeJS.ErrnoException,
  asJson = false,
): void {
  if (code === 'EPIPE') process.exit();
  const message = fileMessages.noOutput(code);
  const text = asJson
    ? JSON.stringify({ error: { code: 'NOT_WRITTEN', message } })
    : `workflowlookup: ${message} (NOT_WRITTEN)`;
  // If standard error fails, there is nowhere left to report it.
  if (stream === process.stdout) process.stderr.write(`${text}\n`);
  process.exit(exitCodes.usage);
}
