import type { Reply } from '@workflowlookup/core';
import type { JsonObject } from '@workflowlookup/schema';
import type { ToolAnswer } from './tool.ts';
import { joinSections, toToon } from './toon.ts';

/** An answer whose text is JSON: these fields, then the token and the warnings. */
export function jsonAnswer(
  reply: Reply<unknown>,
  fields: object,
  shownWarnings: readonly string[] = reply.warnings,
): ToolAnswer {
  return {
    json: {
      ...fields,
      session_token: reply.token,
      ...(shownWarnings.length > 0 && { warnings: shownWarnings }),
    },
    meta: metaOf(reply),
  };
}

/** An answer that is a text of sections; the header belongs into one of them. */
export async function textAnswer(reply: Reply<unknown>, ...sections: readonly string[]): Promise<ToolAnswer> {
  return { text: await joinSections(...sections), meta: metaOf(reply) };
}

/** The lines that go ahead of a text: the token and the warnings, and what else there is. */
export function headerOf({ token, warnings }: Reply<unknown>, more: object = {}): Promise<string> {
  return toToon({ session_token: token, ...(warnings.length > 0 && { warnings }), ...more });
}

/** What clients read beside a text. */
function metaOf({ token, warnings, traceToken }: Reply<unknown>): JsonObject {
  return {
    session_token: token,
    ...(traceToken !== undefined && { trace_token: traceToken }),
    validation: { status: warnings.length > 0 ? 'warning' : 'valid', warnings },
  };
}
