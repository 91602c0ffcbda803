import type { HookClient, HookEvent, ModelRequested } from './events.ts';
import type { HookReply } from './rules.ts';

/** Returns what the hook prints for its client, or `undefined` to print nothing. */
export function replyText(
  client: HookClient,
  event: HookEvent | undefined,
  reply: HookReply,
): string | undefined {
  if (reply.kind === 'none') return undefined;
  const answer = answers[client](reply, event);
  return answer === undefined ? undefined : JSON.stringify(answer);
}

type Answer = (
  reply: Exclude<HookReply, { kind: 'none' }>,
  event: HookEvent | undefined,
) => object | undefined;

/** Claude Code's format, which Codex reads too. */
const claude: Answer = (reply, event) => {
  switch (reply.kind) {
    case 'deny':
      return {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: reply.reason,
        },
      };
    case 'block-stop':
      return { decision: 'block', reason: reply.reason };
    case 'context':
      return { hookSpecificOutput: { hookEventName: event?.name, additionalContext: reply.text } };
  }
};

const gemini: Answer = (reply, event) => {
  switch (reply.kind) {
    case 'deny':
    case 'block-stop':
      return { decision: 'deny', reason: reply.reason };
    case 'context':
      return event?.kind === 'before-model'
        ? requestWith(event, reply.text)
        : { hookSpecificOutput: { hookEventName: event?.name, additionalContext: reply.text } };
  }
};

/** Gemini CLI replaces the messages of a request that the answer names, from the first on. All others stay. */
function requestWith({ name, message }: ModelRequested, text: string): object | undefined {
  if (message === undefined) return undefined;
  const messages = [{ role: message.role, content: `${message.content}\n\n${text}` }];
  return { hookSpecificOutput: { hookEventName: name, llm_request: { messages } } };
}

const cursor: Answer = (reply) => {
  switch (reply.kind) {
    case 'deny':
      return { permission: 'deny', agent_message: reply.reason, user_message: reply.reason };
    case 'block-stop':
      return { followup_message: reply.reason };
    case 'context':
      return { additional_context: reply.text };
  }
};

/** With event names like those of Claude Code, Copilot gives Claude's payload. A refusal has its own format. */
const copilot: Answer = (reply) => {
  switch (reply.kind) {
    case 'deny':
      return { permissionDecision: 'deny', permissionDecisionReason: reply.reason };
    case 'block-stop':
      return { decision: 'block', reason: reply.reason };
    case 'context':
      return { additionalContext: reply.text };
  }
};

/** The plugin for OpenCode reads the reply as it is. */
const opencode: Answer = (reply) => reply;

const answers: Readonly<Record<HookClient, Answer>> = {
  'claude-code': claude,
  codex: claude,
  cursor,
  copilot,
  gemini,
  opencode,
};
