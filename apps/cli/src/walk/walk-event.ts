import type { Question, Task, TaskStep } from '@workflowlookup/core';

/** What happens while a person goes through a workflow, in the order in which it is told. */
export type WalkEvent =
  | { readonly event: 'started' | 'resumed'; readonly sid: string; readonly workflow: Task['workflow'] }
  | {
      readonly event: 'step';
      readonly activity: NonNullable<Task['activity']>;
      readonly step: TaskStep;
      readonly undecided: readonly string[];
    }
  | {
      readonly event: 'refused';
      readonly step?: string;
      readonly issues: readonly string[];
      readonly suggestions: readonly string[];
    }
  | ({ readonly event: 'checkpoint' } & Pick<Question, 'checkpoint' | 'parts' | 'values'>)
  | { readonly event: 'answered'; readonly checkpoint: string; readonly option: string }
  | { readonly event: 'entered'; readonly activity: string; readonly warnings: readonly string[] }
  | {
      readonly event: 'completed';
      readonly sid: string;
      readonly outcome?: 'abandoned';
      readonly warnings: readonly string[];
    }
  | { readonly event: 'left'; readonly sid: string; readonly at?: string; readonly goOn: string };
