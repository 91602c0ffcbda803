import type { CallToolResult, ListToolsResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { CLIENT_CAPABILITIES_META_KEY, ProtocolError } from '@modelcontextprotocol/server';
import { CallUnderWay } from '../call-under-way.ts';
import type { RepeatableCall } from '../elicitation/modern.ts';
import { elicitByRepeating, modernVersion } from '../elicitation/modern.ts';
import { canElicit } from '../elicitation/question-form.ts';
import type { CallContext } from '../tool-desk.ts';
import { createToolDesk } from '../tool-desk.ts';
import { guarded } from './guarded.ts';
import type { ServerParts } from './server-parts.ts';

/** Serves `tools/list` and `tools/call` from the tool desk. */
export function serveTools({ server }: McpServer, parts: ServerParts): void {
  const { shared } = parts;
  const desk = shared?.desk ?? createToolDesk({ ...parts, services: () => Promise.resolve(parts) });
  server.setRequestHandler('tools/list', () => desk.listing as unknown as ListToolsResult);
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
    guarded(parts, async () => {
      const call = new CallUnderWay(mcpReq.signal);
      const elicit = elicitOf({ name: params.name, arguments: params.arguments }, mcpReq, parts);
      const context = {
        get signal() {
          return call.signal;
        },
        onWait: () => parts.waiting.add(call),
        ...(shared === undefined ? {} : { caller: shared.caller }),
        ...elicit,
      };
      const outcome = await desk.call(params, context).finally(() => call.finish());
      if ('error' in outcome)
        throw new ProtocolError(outcome.error.code, outcome.error.message, outcome.error.data);
      return outcome.result as unknown as CallToolResult;
    }),
  );
}

type Envelope = Readonly<Record<string, unknown>>;

/** How this call puts a question; nothing where its client shows none. */
function elicitOf(
  call: Pick<RepeatableCall, 'name' | 'arguments'>,
  { envelope, requestState, inputResponses }: ServerContext['mcpReq'],
  { states }: ServerParts,
): Pick<CallContext, 'elicit'> {
  if (!canElicit(modernVersion, (envelope as Envelope | undefined)?.[CLIENT_CAPABILITIES_META_KEY]))
    return {};
  return { elicit: elicitByRepeating({ ...call, requestState: requestState(), inputResponses }, states) };
}
