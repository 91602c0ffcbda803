/** How a text stands out, where colours are on. */
export type Emphasis = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Where a command writes, and whom it can ask. */
export interface Terminal {
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Writes a text for people to standard output; control characters and commands to a CI service become visible. */
  print(text: string): Promise<void>;
  /** Writes what programs read to standard output, as it is; at a terminal control characters become visible. */
  printExact(text: string): Promise<void>;
  /** Writes all else to standard error, as `print` does. */
  warn(text: string): Promise<void>;
  /** Puts a question to the person; `undefined` where they leave. */
  ask(question: string): Promise<string | undefined>;
  paint(emphasis: Emphasis, text: string): string;
  /** Standard input, as lines, until the signal says that no more are wanted. */
  lines(signal?: AbortSignal): AsyncIterable<string>;
}
