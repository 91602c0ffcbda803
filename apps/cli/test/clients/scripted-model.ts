import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A call of a tool that the model makes. */
export interface ModelCall {
  readonly name: string;
  /** Name of the MCP server, which Codex needs in a separate field. */
  readonly namespace?: string;
  readonly input: unknown;
}

/** The answer of the model to one request. `$TOKEN` is replaced by the last session token in the request. */
export type Turn = ({ readonly text: string } | { readonly call: ModelCall }) & {
  /** Number of tokens to report for the request. If it is high, a client compacts the conversation. */
  readonly tokens?: number;
};

/** A local server with the APIs of Anthropic, OpenAI and Google, whose model follows a script. */
export interface ScriptedModel {
  readonly port: number;
  /** The bodies of the requests that offered tools. */
  readonly requests: readonly string[];
  close(): void;
}

/** Starts a model. After the last turn of the script, it answers each request with a text and no call. */
export async function startModel(script: readonly Turn[]): Promise<ScriptedModel> {
  const requests: string[] = [];
  let ids = 0;

  function turnFor(body: string, hasTools: boolean): Turn {
    // The client sends a request without tools for its own purposes, such as a title or a summary.
    if (!hasTools)
      return { text: body.includes('state_snapshot') ? '<state_snapshot>It</state_snapshot>' : '{}' };
    requests.push(body);
    const turn = script[requests.length - 1] ?? { text: 'Done.' };
    const token = [...body.matchAll(/wl_[\w-]{39,44}/g)].at(-1)?.[0] ?? '';
    return JSON.parse(JSON.stringify(turn).replaceAll('$TOKEN', token)) as Turn;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const path = request.url ?? '';
    const json = (value: unknown): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.method !== 'POST') return json({ data: [], models: [] });
    if (path.includes('count_tokens')) return json({ input_tokens: 10 });
    const message = JSON.parse(body === '' ? '{}' : body) as {
      readonly tools?: readonly unknown[];
      readonly model?: string;
      readonly stream?: boolean;
    };
    const turn = turnFor(body, (message.tools ?? []).length > 0);
    ids += 1;
    if (path.includes('/messages')) return anthropic(response, turn, { id: ids, ...message }, json);
    if (/generateContent/i.test(path)) return gemini(response, turn, path.includes('stream'), json);
    if (path.includes('/responses')) return openai(response, turn, { id: ids, ...message });
    return json({ totalTokens: 10 });
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    close: () => server.close().closeAllConnections(),
  };
}

interface Asked {
  readonly id: number;
  readonly model?: string;
  readonly stream?: boolean;
}

function streamTo(response: ServerResponse): (type: string, data: object) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return (type, data) =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}

function anthropic(
  response: ServerResponse,
  turn: Turn,
  { id, model, stream }: Asked,
  json: (value: unknown) => void,
): void {
  const block =
    'text' in turn
      ? { type: 'text', text: turn.text }
      : { type: 'tool_use', id: `toolu_${id}`, name: turn.call.name, input: turn.call.input };
  const stop_reason = 'text' in turn ? 'end_turn' : 'tool_use';
  const usage = { input_tokens: turn.tokens ?? 10, output_tokens: 5 };
  const whole = {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [block],
    stop_reason,
    stop_sequence: null,
    usage,
  };
  if (stream !== true) return json(whole);
  const send = streamTo(response);
  send('message_start', { message: { ...whole, content: [], stop_reason: null } });
  const empty = 'text' in turn ? { type: 'text', text: '' } : { ...block, input: {} };
  const delta =
    'text' in turn
      ? { type: 'text_delta', text: turn.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(turn.call.input) };
  send('content_block_start', { index: 0, content_block: empty });
  send('content_block_delta', { index: 0, delta });
  send('content_block_stop', { index: 0 });
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
  send('message_stop', {});
  response.end();
}

function openai(response: ServerResponse, turn: Turn, { id, model }: Asked): void {
  const item = openaiItem(turn, id);
  const usage = {
    input_tokens: turn.tokens ?? 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: (turn.tokens ?? 10) + 5,
  };
  const whole = {
    id: `resp_${id}`,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model,
    output: [item],
    usage,
  };
  const send = streamTo(response);
  send('response.created', { response: { ...whole, status: 'in_progress', output: [] } });
  send('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress' } });
  send('response.output_item.done', { output_index: 0, item });
  send('response.completed', { response: whole });
  response.end();
}

function openaiItem(turn: Turn, id: number): object {
  const status = 'completed';
  if ('text' in turn) {
    const content = [{ type: 'output_text', text: turn.text, annotations: [] }];
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status, content };
  }
  const { name, namespace, input } = turn.call;
  const base = { id: `c_${id}`, call_id: `call_${id}`, name, status };
  return {
    type: 'function_call',
    ...base,
    ...(namespace && { namespace }),
    arguments: JSON.stringify(input),
  };
}

function gemini(
  response: ServerResponse,
  turn: Turn,
  isStream: boolean,
  json: (value: unknown) => void,
): void {
  const part =
    'text' in turn ? { text: turn.text } : { functionCall: { name: turn.call.name, args: turn.call.input } };
  const promptTokenCount = turn.tokens ?? 10;
  const whole = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount, candidatesTokenCount: 5, totalTokenCount: promptTokenCount + 5 },
  };
  if (!isStream) return json(whole);
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(whole)}\n\n`);
}
