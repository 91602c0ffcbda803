import type { Question, Task, TaskStep } from '@workflowlookup/core';
import type { Json } from '@workflowlookup/schema';

/** What is to be done next. */
export interface Due {
  readonly task: Task;
  readonly step: TaskStep;
  /** What was written for it before. */
  readonly draft?: string;
  /** Why that was refused. */
  readonly issues?: readonly string[];
}

/** What was done. */
export interface Work {
  readonly output: string;
  readonly variables?: Readonly<Record<string, Json>>;
  /** The step it is of, where it is not the one that was due: one that may be left out. */
  readonly step?: string;
  /** The activity to go to, where several ways are open. */
  readonly activity?: string;
  /** It is handed in though its criteria refuse it, which an advisory session allows. */
  readonly isInsisted?: true;
}

/** Who does the work of a session: a person at a terminal, or lines that were prepared. `undefined` means: leave. */
export interface Guide {
  /** Whether what was refused is asked for again. */
  readonly mayTryAgain: boolean;
  work(due: Due): Promise<Work | undefined>;
  /** The option that answers a checkpoint. */
  answer(question: Question): Promise<string | undefined>;
  /** One of several ways. */
  way(task: Task, ways: readonly string[]): Promise<string | undefined>;
}
