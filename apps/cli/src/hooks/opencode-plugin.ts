/**
 * Returns the plugin that connects OpenCode with the hook. OpenCode has no blocking stop and tells nobody that it
 * resumes a session, so the plugin keeps a turn going with a new prompt, and gives context with the system prompt.
 */
export function opencodePlugin(command: readonly string[]): string {
  return `// Written by "workflowlookup hooks install opencode". Remove it with "workflowlookup hooks remove opencode".
import { spawn } from 'node:child_process';

const [program, ...args] = ${JSON.stringify(command)};
// Other tools than these may be of an MCP server, under any name.
const harmless = /^(read|grep|glob|list|lsp|skill|task|todoread|todowrite|question|invalid)$/;
const isRuled = (tool) => !harmless.test(tool);
// Only shells and tools of MCP servers, which have an underscore in their name, have results that matter.
const isWatched = (tool) => tool === 'bash' || tool.includes('_');
const isOwn = (tool) => /(start_session|next_activity|get_activity)$/.test(tool);

// OpenCode loads the plugin again when it ends a run, while the first instance still works.
const shared = (globalThis[Symbol.for('workflowlookup.hooks')] ??= {
  parents: new Map(),
  known: new Set(),
  held: new Map(),
  contexts: new Map(),
});

/** Sends an event to the hook. Without an answer, OpenCode works on. */
function ask(event) {
  return new Promise((resolve) => {
    const hook = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    const timer = setTimeout(() => hook.kill(), 10000);
    let text = '';
    hook.stdout.on('data', (part) => (text += part));
    hook.stdin.on('error', () => undefined);
    hook.on('error', () => resolve({ kind: 'none' }));
    hook.on('close', () => {
      clearTimeout(timer);
      try {
        resolve(text === '' ? { kind: 'none' } : JSON.parse(text));
      } catch {
        // Without an answer, OpenCode works on.
        resolve({ kind: 'none' });
      }
    });
    hook.stdin.end(JSON.stringify(event));
  });
}

/** Returns the session that a person sees: the sessions of subagents are below it. */
function rootOf(sessionID) {
  const parent = shared.parents.get(sessionID);
  return parent === undefined ? sessionID : rootOf(parent);
}

export const Workflowlookup = async ({ client, directory }) => {
  const send = (name, sessionID, more = {}) => {
    const root = rootOf(sessionID);
    const agent = root === sessionID ? {} : { agent_id: sessionID };
    return ask({ hook_event_name: name, session_id: root, ...agent, cwd: directory, ...more });
  };
  /** Adds to the system prompt what the hook says, until the agent calls the server again. */
  const remember = async (name, sessionID, more) => {
    const reply = await send(name, sessionID, more);
    if (reply.kind === 'context') shared.contexts.set(sessionID, reply.text);
  };
  /** Prompts the agent until it may stop. The hook counts, and lets it go. */
  const hold = async (sessionID) => {
    for (;;) {
      const reply = await send('Stop', sessionID);
      if (reply.kind !== 'block-stop') return;
      const body = { parts: [{ type: 'text', text: reply.reason }] };
      const { error } = await client.session.prompt({ path: { id: sessionID }, body });
      if (error) return;
    }
  };
  return {
    'chat.message': async ({ sessionID }) => {
      if (shared.held.has(sessionID)) return;
      const isKnown = shared.known.has(sessionID);
      shared.known.add(sessionID);
      if (isKnown) await remember('UserPromptSubmit', sessionID);
      else await remember('SessionStart', sessionID, { source: 'resume' });
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args: input }) => {
      if (!isRuled(tool)) return;
      const event = { tool_name: tool, tool_input: input, tool_use_id: callID };
      const reply = await send('PreToolUse', sessionID, event);
      if (reply.kind === 'deny') throw new Error(reply.reason);
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args: input }, result) => {
      if (!isWatched(tool)) return;
      if (isOwn(tool)) shared.contexts.delete(sessionID);
      const event = { tool_name: tool, tool_input: input, tool_use_id: callID, tool_response: result };
      await send('PostToolUse', sessionID, event);
    },
    'experimental.session.compacting': async ({ sessionID }) =>
      remember('SessionStart', sessionID, { source: 'compact' }),
    'experimental.chat.system.transform': async ({ sessionID }, output) => {
      const context = shared.contexts.get(sessionID);
      if (context !== undefined) output.system.push(context);
    },
    event: async ({ event }) => {
      const { sessionID, info } = event.properties;
      if (event.type === 'session.created' && info?.parentID) shared.parents.set(info.id, info.parentID);
      if (event.type !== 'session.idle' || shared.held.has(sessionID)) return;
      const work = hold(sessionID)
        .catch(() => undefined)
        .finally(() => shared.held.delete(sessionID));
      shared.held.set(sessionID, work);
      await work;
    },
    // "opencode run" ends after the first turn. It waits for this.
    dispose: async () => void (await Promise.all(shared.held.values())),
  };
};
`;
}
