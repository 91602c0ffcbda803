import type { TraceEvent } from '@workflowlookup/core';
import { input, texts } from './fragments.ts';
import { toolOfCall } from './next-call-on-wire.ts';
import { jsonAnswer } from './session-answer.ts';
import { sessionToken } from './session-fragments.ts';
import { marksOnWire } from './status-on-wire.ts';
import { defineTool, lookupAnnotations } from './tool.ts';

interface Args {
  readonly session_token: string;
  readonly trace_tokens?: readonly string[];
}

/** `get_trace`: the calls of a session. */
export const getTrace = defineTool<Args>({
  name: 'get_trace',
  title: 'Trace of a session',
  description: 'Shows the recorded calls of the session. Use it to review what was done.',
  inputSchema: input(
    { session_token: sessionToken, trace_tokens: texts('Only the segments of these; default: all calls') },
    ['session_token'],
  ),
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'get_trace', params: { session_token: 'wl_…' } },
    response: { source: 'store', event_count: 0, events: [], session_token: 'wl_…' },
  },
  async run({ sessions }, { session_token: token, trace_tokens: traceTokens }) {
    const reply = await sessions.trace(token, traceTokens);
    const { source, eventCount, events, tokenErrors, marks } = reply.value;
    return jsonAnswer(reply, {
      source,
      event_count: eventCount,
      events: events.map(eventOnWire),
      ...(tokenErrors !== undefined && { token_errors: tokenErrors }),
      ...marksOnWire(marks ?? {}),
    });
  },
});

/** An event under the name of its tool, where it has one; its revision is the server's own. */
function eventOnWire({ rev: _rev, name, ...event }: TraceEvent): object {
  const { traceId, spanId, ...rest } = event;
  return { traceId, spanId, name: name === 'abandon' ? name : toolOfCall[name], ...rest };
}
