import { once } from 'node:events';
import { parentPort } from 'node:worker_threads';
import type { ErrorCode, Folder } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { LRUCache } from 'lru-cache';
import { jobMessages } from '../messages.ts';
import type { JobAnswer, JobAsk, JobKind } from './run-job.ts';
import { runHostJob } from './run-job.ts';

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
  /** Absent if the error is not a `WorkflowError`. */
  readonly code?: ErrorCode;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Maximum length of an answer in characters of JSON, because the calling thread parses it. */
const maxAnswerLength = 4_000_000;

// A worker does one job at a time: it gets a message, and answers with plain data.

/** The latest criteria by their JSON, because the same object is compiled only once. Long ones are not kept. */
const criteriaKept = new LRUCache<string, object>({
  max: 50,
  maxEntrySize: 100_000,
  sizeCalculation: (_criteria, key) => key.length,
});

const port = parentPort;
if (port !== null) {
  port.on('message', (message: ToWorker) => {
    if (message.type === 'job') void perform(message.kind, message.ask);
  });
  tell({ type: 'ready' });
}

async function perform(kind: JobKind, ask: JobAsk<JobKind>): Promise<void> {
  try {
    const answer = await runHostJob(kind, withKeptCriteria(ask), { borrow });
    assertShort(answer);
    tell({ type: 'done', answer });
  } catch (error) {
    tell({ type: 'failed', failure: failureOf(error) });
  }
}

/** Requests a folder. There is one request at a time, because a job waits for each folder. */
async function borrow(workflow: string): Promise<Folder | undefined> {
  if (port === null) return undefined;
  tell({ type: 'borrow', workflow });
  const [message] = (await once(port, 'message')) as [ToWorker];
  return message.type === 'folder' ? message.folder : undefined;
}

function withKeptCriteria<Ask extends JobAsk<JobKind>>(ask: Ask): Ask {
  if (!('criteria' in ask) || typeof ask.criteria !== 'object' || ask.criteria === null) return ask;
  const key = JSON.stringify(ask.criteria);
  const criteria = criteriaKept.get(key) ?? ask.criteria;
  criteriaKept.set(key, criteria);
  return { ...ask, criteria };
}

function assertShort(answer: JobAnswer<JobKind>): void {
  if (JSON.stringify(answer).length <= maxAnswerLength) return;
  throw new WorkflowError('TOO_COSTLY', jobMessages.answerTooLong(maxAnswerLength), {
    data: { max_answer_length: maxAnswerLength },
  });
}

function failureOf(error: unknown): Failure {
  if (error instanceof WorkflowError) {
    const { code, message, data } = error;
    return { code, message, data };
  }
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

function tell(message: FromWorker): void {
  port?.postMessage(message);
}
