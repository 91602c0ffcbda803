import { jsonText } from './plain-text.ts';
import type { Terminal } from './terminal.ts';

/** Where a command says what it found. */
export interface Output {
  readonly terminal: Terminal;
  readonly asJson: boolean;
  /** Prints a value as JSON, or else what people read. */
  answer(value: unknown, text: () => string): Promise<void>;
}

/** The output of a command. */
export function createOutput(terminal: Terminal, asJson: boolean): Output {
  return {
    terminal,
    asJson,
    answer: (value, text) =>
      asJson ? terminal.printExact(`${jsonText(value, 2)}\n`) : terminal.print(`${text()}\n`),
  };
}
