import type { JsonObject } from '@workflowlookup/schema';
import { isRecord } from '../front-door/json-rpc.ts';
import type { Choice, Question } from '../tools/tool.ts';

/** The first revision in which a client can be asked, and the first in which options carry their titles themselves. */
const firstRevision = '2025-06-18';
const titledRevision = '2025-11-25';

/** Whether a client of a revision that declares these capabilities shows forms to its person. */
export function canElicit(version: string, capabilities: unknown): boolean {
  const elicitation = isRecord(capabilities) ? capabilities['elicitation'] : undefined;
  if (version < firstRevision || !isRecord(elicitation)) return false;
  // A client that names no mode shows forms.
  return 'form' in elicitation || !('url' in elicitation);
}

/** The parameters of `elicitation/create` for a question, at a revision. */
export function formOf({ message, options }: Question, version: string): JsonObject {
  const titled = options.map(({ id, label, description }) => ({
    id,
    title: description === undefined ? label : `${label}: ${description}`,
  }));
  const choices =
    version < titledRevision
      ? { enum: titled.map(({ id }) => id), enumNames: titled.map(({ title }) => title) }
      : { oneOf: titled.map(({ id, title }) => ({ const: id, title })) };
  return {
    ...(version < titledRevision ? {} : { mode: 'form' }),
    message,
    requestedSchema: {
      type: 'object',
      properties: { choice: { type: 'string', title: 'Choice', ...choices } },
      required: ['choice'],
    },
  };
}

/** What a person chose, by the client's result; only an accepted option of the question is a choice. */
export function choiceOf(result: unknown, { options }: Question): Choice {
  if (!isRecord(result) || result['action'] !== 'accept' || !isRecord(result['content'])) return undefined;
  const { choice } = result['content'];
  return options.find(({ id }) => id === choice)?.id;
}
