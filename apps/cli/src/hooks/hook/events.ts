import { defined } from '../../commands/command-line.ts';
import type { HookReply } from './rules.ts';

/** The clients whose hooks are supported. */
export const hookClients = ['claude-code', 'codex', 'cursor', 'copilot', 'gemini', 'opencode'] as const;

/** The name of a client on the command line. */
export type HookClient = (typeof hookClients)[number];

/** The event that a hook is called for, independent of the client. */
export type HookEvent = SessionBegins | PlainEvent | ModelRequested | ToolCalled | ToolReturned | AgentStops;

interface EventBase {
  readonly client: HookClient;
  /** The client's session. Clients choose ids that no other client has. */
  readonly session: string;
  /** A subagent of that session; empty for the main agent. */
  readonly agent: string;
  readonly cwd: string;
  /** The folders that are open in an editor. The agent may work elsewhere. */
  readonly roots: readonly string[];
  /** The name of the event in the client. */
  readonly name: string;
  /** The file in which the client writes the conversation. */
  readonly transcript?: string;
  /** The process of the client: it stays the same when the session is cleared. */
  readonly process?: string;
}

export interface SessionBegins extends EventBase {
  readonly kind: 'session-begins';
  /**
   * `lost`: the context was compacted, or an earlier session is resumed. `cleared`: lost, and the session has a new id.
   */
  readonly context: 'new' | 'lost' | 'cleared';
}

/**
 * The user submits a prompt, or the client's session ends, because its user clears it and another begins in the same
 * process.
 */
interface PlainEvent extends EventBase {
  readonly kind: 'prompt' | 'session-ends';
}

/** The client is about to send a request to the model. */
export interface ModelRequested extends EventBase {
  readonly kind: 'before-model';
  /** The first message of the request, which a hook may change. */
  readonly message?: { readonly role: string; readonly content: string };
}

/** A call of a tool of the client. */
export interface ToolUse {
  /** Absent if the client gives calls no id. */
  readonly id?: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

interface ToolCalled extends EventBase {
  readonly kind: 'before-tool';
  readonly tool: ToolUse;
}

export interface ToolReturned extends EventBase {
  readonly kind: 'after-tool';
  readonly tool: ToolUse;
  readonly output: unknown;
  readonly isFailed: boolean;
}

/** The agent ends its turn. */
export interface AgentStops extends EventBase {
  readonly kind: 'stop';
  /** Whether the client still has background work, after which it wakes the agent. */
  readonly hasBackgroundTasks: boolean;
  /** Identifies the stop. Absent if the client provides no identifier. */
  readonly turn?: string;
}

type Fields = Readonly<Record<string, unknown>>;

const kinds: Readonly<Record<string, HookEvent['kind']>> = {
  sessionstart: 'session-begins',
  sessionend: 'session-ends',
  userpromptsubmit: 'prompt',
  userpromptsubmitted: 'prompt',
  beforesubmitprompt: 'prompt',
  beforeagent: 'prompt',
  beforemodel: 'before-model',
  pretooluse: 'before-tool',
  beforetool: 'before-tool',
  posttooluse: 'after-tool',
  posttoolusefailure: 'after-tool',
  aftertool: 'after-tool',
  stop: 'stop',
  subagentstop: 'stop',
  agentstop: 'stop',
  afteragent: 'stop',
};

const contexts: Readonly<Record<string, SessionBegins['context']>> = {
  compact: 'lost',
  resume: 'lost',
  clear: 'cleared',
};

/** Information about an event that is not in its text. */
export interface EventSurroundings {
  /** Returns an identifier of the turn, from the path of the client's transcript. */
  turnOf?(transcript: string): string | undefined;
  readonly process?: string;
}

/**
 * Reads the event that a client wrote to the standard input of its hook. Returns `undefined` for an event that no rule
 * is about.
 *
 * @throws SyntaxError for a text that is not JSON
 */
export function readEvent(
  client: HookClient,
  text: string,
  { turnOf = () => undefined, process: processId }: EventSurroundings = {},
): HookEvent | undefined {
  const fields = JSON.parse(text) as Fields;
  const name = textOf(fields, 'hook_event_name', 'hookEventName', 'event');
  const kind = kinds[name.toLowerCase()];
  if (kind === undefined) return undefined;
  const base = { ...baseOf(client, fields), name, ...defined({ process: processId }) };
  switch (kind) {
    case 'session-begins':
      return { ...base, kind, context: contexts[textOf(fields, 'source')] ?? 'new' };
    case 'session-ends':
      return fields['reason'] === 'clear' ? { ...base, kind } : undefined;
    case 'prompt':
      return { ...base, kind };
    case 'before-model':
      return { ...base, kind, ...defined({ message: messageOf(fields['llm_request']) }) };
    case 'before-tool':
      return { ...base, kind, tool: toolOf(fields) };
    case 'after-tool': {
      const output =
        fields['tool_response'] ?? fields['tool_output'] ?? fields['toolResult'] ?? fields['error'];
      return { ...base, kind, tool: toolOf(fields), output, isFailed: name.endsWith('Failure') };
    }
    case 'stop':
      return stopOf(base, fields, turnOf);
  }
}

function messageOf(request: unknown): ModelRequested['message'] {
  const { messages } = (request ?? {}) as { readonly messages?: unknown };
  const { role, content } = ((Array.isArray(messages) ? messages[0] : undefined) ?? {}) as Fields;
  return typeof role === 'string' && typeof content === 'string' ? { role, content } : undefined;
}

function stopOf(
  base: EventBase,
  fields: Fields,
  turnOf: NonNullable<EventSurroundings['turnOf']>,
): AgentStops | undefined {
  // In Cursor, a turn also ends when its user stops the agent, or with an error.
  if (base.client === 'cursor' && (fields['status'] ?? 'completed') !== 'completed') return undefined;
  const turn = base.transcript === undefined ? undefined : turnOf(base.transcript);
  const hasBackgroundTasks = hasRunning(fields['background_tasks']);
  return { ...base, kind: 'stop', hasBackgroundTasks, ...defined({ turn }) };
}

function baseOf(client: HookClient, fields: Fields): Omit<EventBase, 'name' | 'process'> {
  const transcript = textOf(fields, 'transcript_path');
  const roots = textsOf(fields['workspace_roots']);
  return {
    client,
    session: textOf(fields, 'session_id', 'sessionId', 'conversation_id'),
    agent: textOf(fields, 'agent_id', 'agentId'),
    cwd: textOf(fields, 'cwd') || roots[0] || process.cwd(),
    roots,
    ...(transcript === '' ? {} : { transcript }),
  };
}

function textOf(fields: Fields, ...names: readonly string[]): string {
  const found = names.map((name) => fields[name]).find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : '';
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function toolOf(fields: Fields): ToolUse {
  const id = textOf(fields, 'tool_use_id', 'toolUseId', 'call_id');
  const given = fields['tool_input'] ?? fields['toolArgs'];
  const input = typeof given === 'string' ? parsed(given) : given;
  return {
    ...(id === '' ? {} : { id }),
    name: textOf(fields, 'tool_name', 'toolName'),
    input: typeof input === 'object' && input !== null ? (input as ToolUse['input']) : {},
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Some clients give the arguments of a tool as plain text.
    return { input: text };
  }
}

/** Returns whether a list of background tasks has one that still runs. Entries without a status count as running. */
function hasRunning(tasks: unknown): boolean {
  const ended = new Set(['completed', 'failed', 'killed', 'stopped', 'done']);
  return Array.isArray(tasks) && tasks.some((task) => !ended.has(String((task as Fields)['status'])));
}

/** Returns what the hook prints for its client, or `undefined` to print nothing. */
export function replyText(
  client: HookClient,
  event: HookEvent | undefined,
  reply: HookReply,
): string | undefined {
  if (reply.kind === 'none') return undefined;
  const answer = answers[client][reply.kind] as (reply: HookReply, event: HookEvent | undefined) => unknown;
  const found = answer(reply, event);
  return found === undefined ? undefined : JSON.stringify(found);
}

/** Functions that convert each kind of reply to the format of a client. */
type Answers = {
  readonly [Kind in Exclude<HookReply['kind'], 'none'>]: (
    reply: Extract<HookReply, { kind: Kind }>,
    event: HookEvent | undefined,
  ) => object | undefined;
};

/** Claude Code's format, which Codex reads too. */
const claude: Answers = {
  deny: ({ reason }) => ({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  }),
  'block-stop': ({ reason }) => ({ decision: 'block', reason }),
  context: ({ text }, event) => ({
    hookSpecificOutput: { hookEventName: event?.name, additionalContext: text },
  }),
};

const gemini: Answers = {
  deny: ({ reason }) => ({ decision: 'deny', reason }),
  'block-stop': ({ reason }) => ({ decision: 'deny', reason }),
  context: (reply, event) =>
    event?.kind === 'before-model' ? requestWith(event, reply.text) : claude.context(reply, event),
};

/** Gemini CLI replaces the first messages of a request by those in the answer, and keeps the others. */
function requestWith({ name, message }: ModelRequested, text: string): object | undefined {
  if (message === undefined) return undefined;
  const messages = [{ role: message.role, content: `${message.content}\n\n${text}` }];
  return { hookSpecificOutput: { hookEventName: name, llm_request: { messages } } };
}

const cursor: Answers = {
  deny: ({ reason }) => ({ permission: 'deny', agent_message: reason, user_message: reason }),
  'block-stop': ({ reason }) => ({ followup_message: reason }),
  context: ({ text }) => ({ additional_context: text }),
};

/** With event names like those of Claude Code, Copilot gives Claude's payload. A refusal has its own format. */
const copilot: Answers = {
  deny: ({ reason }) => ({ permissionDecision: 'deny', permissionDecisionReason: reason }),
  'block-stop': claude['block-stop'],
  context: ({ text }) => ({ additionalContext: text }),
};

/** The plugin for OpenCode reads the reply without a conversion. */
const opencode: Answers = {
  deny: (reply) => reply,
  'block-stop': (reply) => reply,
  context: (reply) => reply,
};

const answers: Readonly<Record<HookClient, Answers>> = {
  'claude-code': claude,
  codex: claude,
  cursor,
  copilot,
  gemini,
  opencode,
};
