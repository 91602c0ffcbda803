import { digestOf } from '@workflowlookup/schema';
import type { Question, ToolContext } from '../tools/tool.ts';
import { InputRequired } from './input-required.ts';
import { choiceOf, formOf } from './question-form.ts';
import type { RequestStates } from './request-state.ts';

/** A call as a client of 2026-07-28 makes it, for the first time or again. */
export interface RepeatableCall {
  readonly name: string;
  readonly arguments?: object | undefined;
  /** Of a call made again: the state its last answer gave. */
  readonly requestState?: unknown;
  /** Of a call made again: what the client was asked for. */
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
}

/** The revision that has calls repeated. */
export const modernVersion = '2026-07-28';

/** The key of the one request for input. */
const key = 'choice';

/**
 * Puts questions to the person by having the client repeat the call: it ends with {@link InputRequired} at a question
 * that is not answered yet, and begins anew with the answer.
 *
 * @throws WorkflowError INVALID_PARAMS for a state that is not this call's
 */
export function elicitByRepeating(
  call: RepeatableCall,
  states: RequestStates,
): NonNullable<ToolContext['elicit']> {
  const digest = digestOf({ name: call.name, arguments: call.arguments ?? {} });
  const before = call.requestState === undefined ? undefined : states.open(call.requestState, digest);
  const answers = { ...before?.answers };

  return async (question) => {
    const asking = digestOf(question);
    const response = before?.asking === asking ? call.inputResponses?.[key] : undefined;
    if (response !== undefined) answers[asking] = choiceOf(response, question) ?? null;
    const answer = answers[asking];
    if (answer === undefined) throw inputRequired(question, states.seal({ call: digest, asking, answers }));
    return answer ?? undefined;
  };
}

function inputRequired(question: Question, requestState: string): InputRequired {
  const params = formOf(question, modernVersion);
  return new InputRequired({
    resultType: 'input_required',
    inputRequests: { [key]: { method: 'elicitation/create', params } },
    requestState,
  });
}
