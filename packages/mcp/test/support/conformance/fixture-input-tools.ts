import type {
  CallToolResult,
  ClientCapabilities,
  ElicitRequestFormParams,
  InputRequest,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server';
import { acceptedContent, CLIENT_CAPABILITIES_META_KEY, inputRequired } from '@modelcontextprotocol/server';
import type { RequestStates } from '../../../src/sdk/elicitation.ts';
import { text } from './fixture-content.ts';

type Requests = Readonly<Record<string, InputRequest>>;
type Fields = ElicitRequestFormParams['requestedSchema']['properties'];

/** The `call` in the request state of these tools. */
export const fixtureCall = 'fixture';

/** Returns a request to fill in a form whose fields are all required. */
export function form(message: string, properties: Fields): InputRequest {
  const required = Object.keys(properties);
  return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required } });
}

function sample(question: string, maxTokens: number): InputRequest {
  const messages = [{ role: 'user' as const, content: text(question) }];
  return inputRequired.createMessage({ messages, maxTokens });
}

const name = form('What is your name?', { name: { type: 'string' } });
const confirm = form('Please confirm', { ok: { type: 'boolean' } });
const greeting = sample('Generate a greeting', 50);
const roots = inputRequired.listRoots();

/** The requests that each tool makes before it answers, round by round. */
const rounds: Readonly<Record<string, readonly Requests[]>> = {
  test_input_required_result_elicitation: [{ user_name: name }],
  test_input_required_result_sampling: [{ capital_question: sample('What is the capital of France?', 100) }],
  test_input_required_result_list_roots: [{ client_roots: roots }],
  test_missing_capability: [{ greeting }],
  test_streaming_elicitation: [{ user_name: name }],
};

/** The same, for tools with a request state that the client returns. */
const roundsWithState: typeof rounds = {
  test_input_required_result_request_state: [{ confirm }],
  test_input_required_result_multiple_inputs: [{ user_name: name, greeting, client_roots: roots }],
  test_input_required_result_multi_round: [
    { step1: form('Step 1: What is your name?', { name: { type: 'string' } }) },
    { step2: form('Step 2: What is your favorite color?', { color: { type: 'string' } }) },
  ],
  test_input_required_result_tampered_state: [{ confirm }],
};

/** Registers the tools that request input. Clients of 2026-07-28 repeat the call with the responses. */
export function registerInputTools(mcp: McpServer, states: RequestStates): void {
  const description = 'Answers once it was answered';
  for (const [tool, [requests = {}]] of Object.entries(rounds))
    mcp.registerTool(tool, { description }, ({ mcpReq: { inputResponses = {} } }) =>
      isAnswered(requests, inputResponses)
        ? answerOf(inputResponses)
        : inputRequired({ inputRequests: requests }),
    );
  for (const [tool, all] of Object.entries(roundsWithState))
    mcp.registerTool(tool, { description }, ({ mcpReq }) => playRound(all, mcpReq, states));
  mcp.registerTool('test_input_required_result_capabilities', { description }, ({ mcpReq }) => {
    const { elicitation, sampling } = capabilitiesOf(mcpReq);
    const inputRequests = { ...(elicitation && { user_name: name }), ...(sampling && { greeting }) };
    return inputRequired({ inputRequests });
  });
}

/** Returns the requests of the next round, or the answer. The request state, which is already verified, names the last round. */
function playRound(
  all: readonly Requests[],
  { inputResponses = {}, requestState }: ServerContext['mcpReq'],
  states: RequestStates,
): CallToolResult | InputRequiredResult {
  const state = requestState<{ readonly asking: string }>();
  const round = Number(state?.asking ?? 0);
  const next = state !== undefined && isAnswered(all[round] ?? {}, inputResponses) ? round + 1 : round;
  const inputRequests = all[next];
  if (inputRequests === undefined) return answerOf(inputResponses, 'state-ok');
  const sealed = states.sign({ call: fixtureCall, asking: String(next), answers: {} });
  return inputRequired({ inputRequests, requestState: sealed });
}

function isAnswered(requests: Requests, responses: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(requests).every(([key, { method }]) =>
    method === 'elicitation/create'
      ? acceptedContent(responses, key) !== undefined
      : responses[key] !== undefined,
  );
}

function answerOf(responses: object, remark = 'no state'): CallToolResult {
  return { content: [text(`Given ${JSON.stringify(responses)}: ${remark}`)] };
}

function capabilitiesOf({ envelope }: ServerContext['mcpReq']): ClientCapabilities {
  const said = envelope as Readonly<Record<string, ClientCapabilities>> | undefined;
  return said?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
}
