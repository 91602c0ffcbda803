import type { ErrorCode, Folder } from '@workflowlookup/schema';
import type { JobAnswer, JobAsk, JobKind } from './run-job.ts';

export type ToWorker =
  | { readonly type: 'job'; readonly kind: JobKind; readonly ask: JobAsk<JobKind> }
  /** The answer to `borrow`. */
  | { readonly type: 'folder'; readonly folder: Folder | undefined };

export type FromWorker =
  /** The worker has loaded its modules. */
  | { readonly type: 'ready' }
  /** It needs the folder of another workflow. */
  | { readonly type: 'borrow'; readonly workflow: string }
  | { readonly type: 'done'; readonly answer: JobAnswer<JobKind> }
  | { readonly type: 'failed'; readonly failure: Failure };

/** An error on its way to the thread that asked. */
export interface Failure {
  /** Absent where it is not a `WorkflowError`. */
  readonly code?: ErrorCode;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Most an answer may have, in characters of JSON: reading it takes the thread that asked. */
export const maxAnswerLength = 4_000_000;
