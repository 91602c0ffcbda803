import { randomBytes } from 'node:crypto';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { createSigner } from '@workflowlookup/core/tokens';
import { WorkflowError, digestOf } from '@workflowlookup/schema';
import { choiceOf, formOf } from '../json-rpc/peers.ts';
import { messages } from '../messages.ts';
import { InputRequired } from '../tool-support/run-tool.ts';
import type { Question, ToolContext } from '../tool-support/tool.ts';

/** The protocol revision in which clients repeat calls to answer questions. */
export const modernVersion = '2026-07-28';

/** A tool call of revision 2026-07-28, made for the first time or repeated with an answer. */
export interface RepeatableCall {
  readonly name: string;
  readonly arguments?: object | undefined;
  /** In a repeated call: the state from the previous result. */
  readonly requestState?: unknown;
  /** In a repeated call: the answers of the person. */
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
}

/** The key of the one request for input. */
const choiceKey = 'choice';

/**
 * Returns the `elicit` function of a call whose client repeats it. At a question without an answer it throws
 * {@link InputRequired}; in the repeated call it returns the answer.
 *
 * @throws WorkflowError INVALID_INPUT if the state does not belong to this call
 */
export function elicitByRepeating(
  call: RepeatableCall,
  states: RequestStates,
): NonNullable<ToolContext['elicit']> {
  const digest = digestOf({ name: call.name, arguments: call.arguments ?? {} });
  const before = call.requestState === undefined ? undefined : states.verify(call.requestState, digest);
  const answers = { ...before?.answers };

  return async (question) => {
    const asking = digestOf(question);
    const response = before?.asking === asking ? call.inputResponses?.[choiceKey] : undefined;
    if (response !== undefined) answers[asking] = choiceOf(response, question) ?? null;
    const answer = answers[asking];
    if (answer === undefined) throw inputRequired(question, states.sign({ call: digest, asking, answers }));
    return answer ?? undefined;
  };
}

function inputRequired(question: Question, requestState: string): InputRequired {
  const params = formOf(question, modernVersion);
  return new InputRequired({
    resultType: 'input_required',
    inputRequests: { [choiceKey]: { method: 'elicitation/create', params } },
    requestState,
  });
}

/** The progress of a call that its client will repeat. */
interface RequestState {
  /** The digest of the tool and its arguments. */
  readonly call: string;
  /** The digest of the question that was asked last. */
  readonly asking: string;
  /** The answers to earlier questions by the digest of the question; null if nothing was chosen. */
  readonly answers: Readonly<Record<string, string | null>>;
}

/** Signs the state of a call, which the client keeps until it repeats the call, and verifies it then. */
export interface RequestStates {
  sign(state: RequestState): string;
  /** @throws WorkflowError INVALID_INPUT if the state was not signed here, has expired, or belongs to another call */
  verify(sealed: unknown, call: string): RequestState;
}

/** How long a person may take to answer. */
const lifetimeMs = 600_000;

/** Creates the states of one caller, or of all calls if there is only one caller. */
export function createRequestStates(
  keys: KeyRing,
  { principal, now = Date.now }: { readonly principal?: string; readonly now?: () => number } = {},
): RequestStates {
  const signer = createSigner(keys, principal === undefined ? 'request-state' : `request-state:${principal}`);
  return {
    sign: (state) => signer.sign({ ...state, until: now() + lifetimeMs }),
    verify(sealed, call) {
      const state = typeof sealed === 'string' ? signer.verify(sealed) : undefined;
      if (state === undefined) throw stateError(messages.stateForged());
      const known = state as RequestState & { readonly until: number };
      if (known.until < now()) throw stateError(messages.stateExpired());
      if (known.call !== call) throw stateError(messages.stateOfOtherCall());
      return known;
    },
  };
}

/** Returns random keys that last as long as this process. */
export function processKeys(): KeyRing {
  const signing = { id: 'process', secret: randomBytes(32) };
  return { signing, verifying: [signing] };
}

function stateError(details: string): WorkflowError {
  return new WorkflowError('INVALID_INPUT', details);
}
