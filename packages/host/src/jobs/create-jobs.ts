import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { JobTypes } from '@workflowlookup/core/jobs';
import { runJob } from '@workflowlookup/core/jobs';
import type { Meter } from '@workflowlookup/schema';
import { WorkflowError, TooLongHere } from '@workflowlookup/schema';
import { jobMessages } from '../messages.ts';
import type { Failure, FromWorker, ToWorker } from './job-thread.ts';
import type { JobAnswer, JobAsk, JobContext, JobKind } from './run-job.ts';

interface Job {
  readonly kind: JobKind;
  readonly ask: JobAsk<JobKind>;
  readonly context: JobContext;
  /** How long the job may take, counted from when a worker begins it. */
  readonly deadlineMs: number;
}

/** A job, and the functions that receive its answer. */
interface PendingJob {
  readonly job: Job;
  resolve(answer: JobAnswer<JobKind>): void;
  reject(error: unknown): void;
}

type JobWorker = ReturnType<typeof startJobWorker>;

/** Starts a thread with this memory limit. While it is idle, it does not keep the process alive. */
function startJobWorker(memoryMb: number) {
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
  let current: PendingJob | undefined;
  let deadline: NodeJS.Timeout | undefined;

  function settle(tell: (waiting: PendingJob) => void): void {
    const waiting = current;
    current = undefined;
    worker.unref();
    clearTimeout(deadline);
    if (waiting !== undefined) tell(waiting);
  }

  function fail(error: unknown): void {
    isAlive = false;
    settle(({ reject }) => reject(error));
  }

  /** The time limit of a job starts once the thread has loaded its modules. */
  function begin(): void {
    if (current === undefined || !isReady) return;
    const { kind, ask, deadlineMs } = current.job;
    deadline = setTimeout(() => {
      fail(tooCostly(jobMessages.tooSlow(deadlineMs), { data: { deadline_ms: deadlineMs } }));
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
        return void (current && lend(worker, current.job.context, message.workflow));
      case 'done':
        return settle(({ resolve }) => resolve(message.answer));
      case 'failed':
        return settle(({ reject }) => reject(errorOf(message.failure)));
    }
  });
  worker.on('error', (error: NodeJS.ErrnoException) =>
    fail(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? tooCostly(jobMessages.outOfMemory(), { cause: error })
        : error,
    ),
  );
  worker.on('exit', () => fail(tooCostly(jobMessages.workerEnded())));

  return {
    isAlive: () => isAlive,
    /** @throws what the job throws; WorkflowError TOO_COSTLY, and then the worker is gone */
    perform: (job: Job) =>
      new Promise<JobAnswer<JobKind>>((resolve, reject) => {
        current = { job, resolve, reject };
        worker.ref();
        begin();
      }),
    /** Ends the thread; a job under way fails with this error. */
    async close(why: Error) {
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

function tooCostly(message: string, more?: ConstructorParameters<typeof WorkflowError>[2]): WorkflowError {
  return new WorkflowError('TOO_COSTLY', message, more);
}

/** Returns the built file of the thread: next to this module, or in `dist` if this runs from sources. */
function threadFile(): URL {
  const beside = new URL('./job-thread.js', import.meta.url);
  return existsSync(fileURLToPath(beside)) ? beside : new URL('../../dist/job-thread.js', import.meta.url);
}

export interface JobLimits {
  /** How many steps a principal may use on the main thread at once after a pause. A step takes about 10 ns at worst. */
  readonly stepsHere: number;
  readonly stepsPerSecond: number;
  /** The maximum number of steps of one job on the main thread. */
  readonly stepsPerJob: number;
  readonly workers: number;
  /** How many jobs of one principal may wait while another one of theirs runs in a worker. */
  readonly waiting: number;
  /** How long a job may take in a worker. */
  readonly deadlineMs: number;
  /** How long an exploration may take. Its own limit is half of that. */
  readonly walkDeadlineMs: number;
  readonly memoryMb: number;
}

const usual: JobLimits = {
  stepsHere: 10_000_000,
  stepsPerSecond: 10_000_000,
  stepsPerJob: 1_500_000,
  workers: 2,
  waiting: 4,
  deadlineMs: 8_000,
  walkDeadlineMs: 2_000,
  memoryMb: 256,
};

/** Kinds of jobs that may begin on the main thread, because they stop by themselves when they take too long. */
const startingHere: ReadonlySet<JobKind> = new Set<keyof JobTypes>(['judge', 'check-text']);

/** Counts of the jobs that were done, for tests and metrics. */
export interface JobCounts {
  readonly here: number;
  readonly inWorkers: number;
}

/** Runs jobs on this machine. */
export interface HostJobs {
  /** @throws what the job throws; TOO_COSTLY if it takes too long or too much memory; BUSY if the principal has too many waiting */
  run<Kind extends JobKind>(kind: Kind, ask: JobAsk<Kind>, context: JobContext): Promise<JobAnswer<Kind>>;
  counts(): JobCounts;
  /** Ends the jobs in progress. */
  close(): Promise<void>;
}

/**
 * Creates a job runner. Small jobs run on the calling thread, the others in workers. A principal uses one worker at a
 * time, and principals take turns. A worker starts when a job first needs it.
 */
export function createJobs(given: Partial<JobLimits> = {}): HostJobs {
  const limits = { ...usual, ...given };
  const allowances = createAllowances(limits);
  const workers = new Set<JobWorker>();
  const idle: JobWorker[] = [];
  /** The waiting jobs by principal. The principal that was served longest ago comes first. */
  const queues = new Map<string, PendingJob[]>();
  const served = new Set<string>();
  let isClosed = false;
  const counts = { here: 0, inWorkers: 0 };

  /** A worker that can begin now. */
  function takeWorker(): JobWorker | undefined {
    for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) {
      if (worker.isAlive()) return worker;
      workers.delete(worker);
    }
    for (const worker of workers) if (!worker.isAlive()) workers.delete(worker);
    if (workers.size >= limits.workers) return undefined;
    const started = startJobWorker(limits.memoryMb);
    workers.add(started);
    return started;
  }

  function dispatch(): void {
    for (const [principal, queue] of queues) {
      if (served.has(principal)) continue;
      const worker = takeWorker();
      if (worker === undefined) return;
      const next = queue.shift();
      queues.delete(principal);
      if (queue.length > 0) queues.set(principal, queue);
      if (next !== undefined) void perform(principal, worker, next);
    }
  }

  async function perform(
    principal: string,
    worker: JobWorker,
    { job, resolve, reject }: PendingJob,
  ): Promise<void> {
    served.add(principal);
    counts.inWorkers += 1;
    try {
      resolve(await worker.perform(job));
    } catch (error) {
      reject(error);
    } finally {
      served.delete(principal);
      const rest = queues.get(principal);
      // The caller that was just served comes after the others.
      if (queues.delete(principal) && rest !== undefined) queues.set(principal, rest);
      if (worker.isAlive()) idle.push(worker);
      else workers.delete(worker);
      dispatch();
    }
  }

  function inWorker<Kind extends JobKind>(job: Job): Promise<JobAnswer<Kind>> {
    const { principal } = job.context;
    if (isClosed) throw closing();
    const queue = queues.get(principal) ?? [];
    if (queue.length >= limits.waiting)
      throw new WorkflowError('BUSY', jobMessages.tooManyWaiting(limits.waiting), {
        data: { retry_after_seconds: 1, max_waiting: limits.waiting },
      });
    queues.set(principal, queue);
    return new Promise((resolve, reject) => {
      queue.push({ job, resolve, reject });
      dispatch();
    });
  }

  return {
    async run<Kind extends JobKind>(
      kind: Kind,
      ask: JobAsk<Kind>,
      context: JobContext,
    ): Promise<JobAnswer<Kind>> {
      if (startsHere(kind)) {
        const allowance = allowances.of(context.principal);
        const before = allowance.left;
        try {
          const answer = await runJob<keyof JobTypes>(kind, ask as JobAsk<keyof JobTypes>, { allowance });
          counts.here += 1;
          return answer;
        } catch (error) {
          if (!(error instanceof TooLongHere)) throw error;
        } finally {
          allowances.pay(context.principal, before - allowance.left);
        }
      }
      const deadlineMs = kind === 'walk' ? limits.walkDeadlineMs : limits.deadlineMs;
      return inWorker({ kind, ask, context, deadlineMs });
    },
    counts: () => ({ ...counts }),
    async close() {
      isClosed = true;
      const waiting = [...queues.values()].flat();
      queues.clear();
      for (const { reject } of waiting) reject(closing());
      await Promise.all([...workers].map((worker) => worker.close(closing())));
    },
  };
}

function startsHere<Kind extends JobKind>(kind: Kind): kind is Kind & keyof JobTypes {
  return startingHere.has(kind);
}

function closing(): WorkflowError {
  return new WorkflowError('BUSY', jobMessages.shuttingDown(), { data: { retry_after_seconds: 1 } });
}

/** How many principals are remembered; the one that has been idle for longest is forgotten first. */
const maxRemembered = 10_000;

/** Counts how much of the main thread each principal may still use. */
function createAllowances({ stepsHere, stepsPerSecond, stepsPerJob }: JobLimits) {
  const used = new Map<string, { readonly steps: number; readonly atMs: number }>();
  function leftFor(principal: string, nowMs: number): number {
    const { steps, atMs } = used.get(principal) ?? { steps: 0, atMs: nowMs };
    return stepsHere - Math.max(0, steps - ((nowMs - atMs) / 1000) * stepsPerSecond);
  }
  return {
    of: (principal: string): Meter => ({
      left: Math.min(stepsPerJob, leftFor(principal, performance.now())),
      isShort: true,
    }),
    pay(principal: string, steps: number): void {
      const atMs = performance.now();
      const left = leftFor(principal, atMs);
      used.delete(principal);
      used.set(principal, { steps: stepsHere - left + steps, atMs });
      const [oldest] = used.keys();
      if (used.size > maxRemembered && oldest !== undefined) used.delete(oldest);
    },
  };
}
