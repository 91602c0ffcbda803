import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { WorkflowError } from '@workflowlookup/schema';
import type { Failure, FromWorker, ToWorker } from './job-thread.ts';
import type { JobAnswer, JobAsk, JobContext, JobKind } from './run-job.ts';
import { jobMessages } from '../messages.ts';

export interface Job {
  readonly kind: JobKind;
  readonly ask: JobAsk<JobKind>;
  readonly context: JobContext;
  /** How long it may take after a worker has begun it. */
  readonly deadlineMs: number;
}

export interface JobWorker {
  isAlive(): boolean;
  /** @throws what the job throws; WorkflowError TOO_COSTLY, and then the worker is gone */
  perform(job: Job): Promise<JobAnswer<JobKind>>;
  /** Ends the thread; a job under way fails with this error. */
  close(why: Error): Promise<void>;
}

interface UnderWay {
  readonly job: Job;
  resolve(answer: JobAnswer<JobKind>): void;
  reject(error: unknown): void;
  deadline?: NodeJS.Timeout;
}

/** Starts a thread that may take so much memory. While it has nothing to do it keeps no process alive. */
export function startJobWorker(memoryMb: number): JobWorker {
  const worker = new Worker(threadFile(), {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
    // Node.js does not accept all options of a process for a thread.
    execArgv: [],
    env: {},
    // Standard output may belong to a protocol.
    stdout: true,
  });
  worker.unref();
  let isAlive = true;
  let isReady = false;
  let underWay: UnderWay | undefined;

  function settle(tell: (waiting: UnderWay) => void): void {
    const waiting = underWay;
    underWay = undefined;
    worker.unref();
    clearTimeout(waiting?.deadline);
    if (waiting !== undefined) tell(waiting);
  }

  function fail(error: unknown): void {
    isAlive = false;
    settle(({ reject }) => reject(error));
  }

  /** The time of a job begins once the thread has loaded its modules. */
  function begin(): void {
    if (underWay === undefined || !isReady) return;
    const { kind, ask, deadlineMs } = underWay.job;
    underWay.deadline = setTimeout(() => {
      fail(tooLong(deadlineMs));
      void worker.terminate();
    }, deadlineMs);
    try {
      post(worker, { type: 'job', kind, ask });
    } catch (error) {
      // Requests of callers can always be copied to a thread.
      settle(({ reject }) => reject(error));
    }
  }

  worker.on('message', (message: FromWorker) => {
    switch (message.type) {
      case 'ready':
        isReady = true;
        return begin();
      case 'borrow':
        return void (underWay && lend(worker, underWay.job.context, message.workflow));
      case 'done':
        return settle(({ resolve }) => resolve(message.answer));
      case 'failed':
        return settle(({ reject }) => reject(errorOf(message.failure)));
    }
  });
  worker.on('error', (error: Error) => fail(memoryError(error) ?? error));
  worker.on('exit', () => fail(ended()));

  return {
    isAlive: () => isAlive,
    perform: (job) =>
      new Promise((resolve, reject) => {
        underWay = { job, resolve, reject };
        worker.ref();
        begin();
      }),
    async close(why) {
      fail(why);
      await worker.terminate();
    },
  };
}

async function lend(worker: Worker, { borrow }: JobContext, workflow: string): Promise<void> {
  // A folder that can't be read counts as missing, as in a source.
  const folder = await Promise.resolve(borrow?.(workflow)).catch(() => undefined);
  post(worker, { type: 'folder', folder: folder && new Map(folder) });
}

function post(worker: Worker, message: ToWorker): void {
  worker.postMessage(message, []);
}

function errorOf({ code, message, data = {} }: Failure): Error {
  return code === undefined ? new Error(message) : new WorkflowError(code, message, { data });
}

function tooLong(deadlineMs: number): WorkflowError {
  return new WorkflowError('TOO_COSTLY', jobMessages.tooSlow(deadlineMs), { data: { deadlineMs } });
}

function memoryError(error: Error): WorkflowError | undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') return undefined;
  return new WorkflowError('TOO_COSTLY', jobMessages.outOfMemory(), { cause: error });
}

function ended(): WorkflowError {
  return new WorkflowError('TOO_COSTLY', jobMessages.workerEnded());
}

/** The built file: beside the code that runs, or in `dist` if that runs from sources. */
function threadFile(): URL {
  const beside = new URL('./job-thread.js', import.meta.url);
  return existsSync(fileURLToPath(beside)) ? beside : new URL('../../dist/job-thread.js', import.meta.url);
}
