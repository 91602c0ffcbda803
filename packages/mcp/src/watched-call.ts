import type { ErrorCode } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { InputRequired } from './elicitation/input-required.ts';

/** A call that begins. */
export interface BegunCall {
  readonly tool: string;
  /** What the client asked for: `tools/call`, or the tool as a method of its own. */
  readonly method: string;
  /** `_meta` of the request as the client sent it; absent where the method takes none. */
  readonly meta?: unknown;
}

/** A call that is over. */
export interface FinishedCall {
  readonly tool: string;
  /** Of a call that failed: why. */
  readonly code?: ErrorCode;
}

/** Whoever watches calls. What is asked and answered is not shown to them. */
export interface CallWatchers {
  /** Told of every call that ran, and how it came out. */
  onCall?(call: FinishedCall): void;
  /** Stands around every call: `run` carries it out and never rejects. Must call it once, and not fail. */
  aroundCall?(call: BegunCall, run: () => Promise<FinishedCall>): Promise<unknown>;
}

/** Carries out a call before those who watch. One that ends in a question to be answered first is not told as over. */
export async function watchedCall<T>(
  { onCall, aroundCall }: CallWatchers,
  call: BegunCall,
  run: () => Promise<T>,
): Promise<T> {
  if (onCall === undefined && aroundCall === undefined) return run();
  const begun: { result?: Promise<T> } = {};
  const carryOut = async (): Promise<FinishedCall> => {
    begun.result = run();
    const failure = await begun.result.then(() => undefined, failureOf);
    const finished = { tool: call.tool, ...failure };
    if (failure !== asked) onCall?.(finished);
    return finished;
  };
  await (aroundCall === undefined ? carryOut() : aroundCall(call, carryOut));
  return begun.result ?? run();
}

/** What a question counts as that has to be answered first. */
const asked: Pick<FinishedCall, 'code'> = {};

function failureOf(error: unknown): Pick<FinishedCall, 'code'> {
  if (error instanceof InputRequired) return asked;
  return { code: error instanceof WorkflowError ? error.code : 'INTERNAL' };
}
