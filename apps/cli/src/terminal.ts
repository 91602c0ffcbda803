/** How a text stands out, where colours are on. */
export type Emphasis = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Where a command writes, and whom it can ask. */
export interface Terminal {
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Standard output: what was asked for. */
  print(text: string): Promise<void>;
  /** Standard error: all else. */
  warn(text: string): Promise<void>;
  /** Puts a question to the person; `undefined` where they leave. */
  ask(question: string): Promise<string | undefined>;
  paint(emphasis: Emphasis, text: string): string;
  /** Standard input, as lines, until the signal says that no more are wanted. */
  lines(signal?: AbortSignal): AsyncIterable<string>;
}
