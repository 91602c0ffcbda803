import type { ClientRequests } from '../front-door/client-requests.ts';
import type { CallContext } from '../tool-desk.ts';
import type { ToolContext } from '../tools/tool.ts';
import { choiceOf, formOf } from './question-form.ts';

/** Puts questions to the person by a request to the client, as the revisions up to 2025-11-25 do; the call waits. */
export function elicitByRequest(
  client: ClientRequests,
  version: string,
  { signal, onWait }: CallContext,
): NonNullable<ToolContext['elicit']> {
  return async (question) => {
    onWait?.();
    return choiceOf(await client.send('elicitation/create', formOf(question, version), signal), question);
  };
}
