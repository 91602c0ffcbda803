import { messages } from '../messages.ts';
import { jsonText } from './plain-text.ts';

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
  /** Prints a value as JSON, or the text for people. */
  answer(value: unknown, text: () => string): Promise<void>;
}

export function createOutput(terminal: Terminal, asJson: boolean): Output {
  return {
    terminal,
    asJson,
    answer: (value, text) =>
      asJson ? terminal.printExact(`${jsonText(value, 2)}\n`) : terminal.print(`${text()}\n`),
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
  if (!terminal.isInteractive) throw new WorkflowError('INVALID_INPUT', messages.terminal.needsYes(needed));
  const text = await terminal.ask(`${question} (y/N) `);
  if (!/^y(es)?$/i.test(text ?? '')) throw new WorkflowError('CANCELLED', declined);
}
