import type { Json } from '@workflowlookup/schema';
import type { NextCall } from '../session/next-calls.ts';

/** What a session waits for, as a person reads it who does the work themselves. */
export interface Task {
  readonly sid: string;
  readonly workflow: { readonly id: string; readonly version: string; readonly title: string };
  readonly status: 'active' | 'blocked' | 'completed';
  readonly outcome?: 'abandoned';
  readonly enforcement: 'advisory' | 'strict';
  /** Where the session stands; absent before the first activity, and at the end. */
  readonly activity?: { readonly id: string; readonly name: string; readonly text?: string };
  /** In the order of a manifest: steps that are due and those that may be left out, then those of loops. */
  readonly steps: readonly TaskStep[];
  /** Checkpoints that hold the activity back and that no step stops at. */
  readonly checkpoints: readonly string[];
  /** The calls an agent could make now. */
  readonly next: readonly NextCall[];
  /** What keeps the way on from being found, and what would do. */
  readonly obstacle?: string;
  /** Those the workflow declares. */
  readonly variables: readonly TaskVariable[];
}

/** A step of a task. */
export interface TaskStep {
  /** As a manifest names it. */
  readonly id: string;
  readonly name: string;
  /** What is to be done, with the variables in it. */
  readonly text?: string;
  /** What the output must meet, as sentences. */
  readonly criteria: readonly string[];
  readonly isDue: boolean;
  /** The checkpoint it stops at, while that one holds the activity back. */
  readonly checkpoint?: string;
}

/** A variable with what it is now. */
export interface TaskVariable {
  readonly name: string;
  readonly type: string;
  readonly value?: Json;
}

/** An output that is to be judged before it is handed in. */
export interface OutputDraft {
  /** As a manifest names it. */
  readonly step: string;
  readonly output: string;
  /** Values that will be handed in with it. */
  readonly variables?: Readonly<Record<string, Json>>;
}
