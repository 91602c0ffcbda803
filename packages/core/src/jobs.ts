import type { Context } from '@workflowlookup/conditions';
import type { Field, Meter } from '@workflowlookup/schema';
import type { CompiledCriteria, Verdict } from '@workflowlookup/validation';
import { compileCriteria, judge } from '@workflowlookup/validation';
import type { DefinitionVerdict } from './read-definition.ts';
import { judgeReading, readDefinition } from './read-definition.ts';

/** An output, and criteria of any shape that `validationCriteria` may have. */
export interface JudgeOptions {
  readonly output: string;
  readonly criteria: unknown;
  /** The fields that the output must have. */
  readonly fields?: readonly Field[] | undefined;
  /** The variables that conditions of the criteria read. */
  readonly context?: Context;
}

/** Work whose cost depends on what a caller sent: request and answer of each kind, both plain data. */
export interface JobTypes {
  /** Judges an output by the criteria of a served step. */
  readonly judge: { readonly ask: JudgeOptions; readonly answer: Verdict };
  /** Judges the text of a definition in JSON. */
  readonly 'check-text': { readonly ask: { readonly text: string }; readonly answer: DefinitionVerdict };
}

/** The caller a job runs for. */
export interface JobContext {
  /** The principal whose share of the work it counts against. */
  readonly principal: string;
}

/** Runs jobs so that they do not delay other callers. */
export interface Jobs {
  /** @throws what the job throws; TOO_COSTLY if it takes too long or too much memory; BUSY if the principal has too many waiting */
  run<Kind extends keyof JobTypes>(
    kind: Kind,
    ask: JobTypes[Kind]['ask'],
    context: JobContext,
  ): Promise<JobTypes[Kind]['answer']>;
}

/** Limits of a job that runs on the calling thread. */
export interface JobTools {
  /** The steps the job may take on this thread; if absent, as many as the job itself allows. */
  readonly allowance?: Meter;
}

/**
 * Runs a job on this thread. The answer is the same on every thread.
 *
 * @throws what the job throws; `TooLongHere` if a short allowance runs out
 */
export function runJob<Kind extends keyof JobTypes>(
  kind: Kind,
  ask: JobTypes[Kind]['ask'],
  tools: JobTools = {},
): Promise<JobTypes[Kind]['answer']> {
  return work[kind](ask, tools);
}

/** Runs every job on the calling thread. */
export const inlineJobs: Jobs = { run: (kind, ask) => runJob(kind, ask) };

const work: {
  readonly [Kind in keyof JobTypes]: (
    ask: JobTypes[Kind]['ask'],
    tools: JobTools,
  ) => Promise<JobTypes[Kind]['answer']>;
} = {
  judge: judgeServed,
  'check-text': async ({ text }, { allowance }) =>
    judgeReading(await readDefinition({ text, format: 'json' }, allowance)),
};

const compiled = new WeakMap<object, CompiledCriteria>();

/** Judges an output. Criteria that are an object are compiled once, as long as they are the same object. */
async function judgeServed(
  { criteria, output, context = {}, fields }: JudgeOptions,
  { allowance }: JobTools,
): Promise<Verdict> {
  const isObject = typeof criteria === 'object' && criteria !== null;
  const known = isObject ? compiled.get(criteria) : undefined;
  const ready = known ?? (await compileCriteria(criteria, allowance));
  if (isObject) compiled.set(criteria, ready);
  return judge(ready, output, context, allowance, fields);
}
