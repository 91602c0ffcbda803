import type { ClientRequests, ClientRequestWay } from '../front-door/client-requests.ts';
import type { ToolContext } from '../tools/tool.ts';
import { choiceOf, formOf } from './question-form.ts';

/** How a question gets to the person. */
export interface QuestionWay extends ClientRequestWay {
  /** Revision of the session. */
  readonly version: string;
  /** Told before the question is put. */
  onWait(): void;
}

/** Puts questions to the person by a request to the client, as the revisions up to 2025-11-25 do; the call waits. */
export function elicitByRequest(
  client: ClientRequests,
  way: QuestionWay,
): NonNullable<ToolContext['elicit']> {
  return async (question) => {
    way.onWait();
    const form = formOf(question, way.version);
    return choiceOf(await client.send('elicitation/create', form, way), question);
  };
}
