import type { Scope } from '../connect/clients.ts';
import { trustNotes } from '../messages/clients.ts';
import type { HookClient } from './hook/events.ts';

/**
 * Returns the plugin that connects OpenCode with the hook. OpenCode has no hook that can block a stop, and none for a
 * resumed session. So the plugin continues a turn with a new prompt, and adds context to the system prompt.
 */
function opencodePlugin(command: readonly string[]): string {
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

/** How the hooks of a client are configured. */
export interface ClientHooks {
  readonly title: string;
  /** The file, below the project. */
  readonly project: readonly string[];
  /** The file, below the home folder or the folder that `homeVariable` names; absent if the client has none. */
  readonly user?: readonly string[];
  /** An environment variable with a folder in place of the first part of `user`. */
  readonly homeVariable?: string;
  /** What the client asks of its user before hooks run. */
  readonly trust?: { readonly note: string; readonly scopes: readonly Scope[] };
  readonly format: HooksFormat;
}

/** `entries`: a JSON file that others write to as well. `file`: a file of our own. */
type HooksFormat =
  | {
      readonly kind: 'entries';
      /** Members that the file needs besides the hooks. */
      readonly head?: Readonly<Record<string, unknown>>;
      entries(command: string): Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'file'; text(command: readonly string[]): string };

/** Tools that a rule may be about. Tools of other MCP servers may write files too. */
const ruled =
  'Edit|MultiEdit|Write|NotebookEdit|Bash|PowerShell|Monitor|REPL|write_stdin|WebFetch|WebSearch|apply_patch|mcp__.*';

/** Hooks in Claude Code's format. `seconds` is the timeout of each. */
function claudeEntries(command: string): Readonly<Record<string, unknown>> {
  const hooks = [{ type: 'command', command, timeout: 10 }];
  return {
    SessionStart: { matcher: 'startup|resume|clear|compact', hooks },
    SessionEnd: { matcher: 'clear', hooks },
    UserPromptSubmit: { hooks },
    PreToolUse: { matcher: ruled, hooks },
    // The server may have any name in the client.
    PostToolUse: { matcher: 'Bash|mcp__.*', hooks },
    PostToolUseFailure: { matcher: 'Bash', hooks },
    Stop: { hooks },
    SubagentStop: { hooks },
  };
}

function codexEntries(command: string): Readonly<Record<string, unknown>> {
  const { PostToolUseFailure: _failed, SessionEnd: _ended, ...entries } = claudeEntries(command);
  return entries;
}

function geminiEntries(command: string): Readonly<Record<string, unknown>> {
  const hooks = [{ type: 'command', command, timeout: 10_000, name: 'workflowlookup' }];
  return {
    SessionStart: { matcher: '*', hooks },
    SessionEnd: { matcher: '*', hooks },
    BeforeAgent: { matcher: '*', hooks },
    BeforeModel: { matcher: '*', hooks },
    BeforeTool: {
      matcher: 'write_file|replace|save_memory|run_shell_command|web_fetch|google_web_search|mcp_.*',
      hooks,
    },
    AfterTool: { matcher: 'run_shell_command|mcp_.*', hooks },
    AfterAgent: { matcher: '*', hooks },
  };
}

function cursorEntries(command: string): Readonly<Record<string, unknown>> {
  const names = ['sessionStart', 'beforeSubmitPrompt', 'preToolUse', 'postToolUse', 'stop', 'subagentStop'];
  return Object.fromEntries(names.map((name) => [name, { command }]));
}

function copilotText([program = '', ...args]: readonly string[]): string {
  const command = [program, ...args].map(quoted).join(' ');
  const entry = { type: 'command', bash: command, powershell: command, timeoutSec: 10 };
  const names = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SubagentStop'];
  const hooks = Object.fromEntries(names.map((name) => [name, [entry]]));
  return `${JSON.stringify({ version: 1, hooks }, undefined, 2)}\n`;
}

/** Returns a word as both `sh` and PowerShell read it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;
}

export const clientHooks: Readonly<Record<HookClient, ClientHooks>> = {
  'claude-code': {
    title: 'Claude Code',
    project: ['.claude', 'settings.json'],
    user: ['.claude', 'settings.json'],
    homeVariable: 'CLAUDE_CONFIG_DIR',
    trust: { note: trustNotes.claude, scopes: ['project'] },
    format: { kind: 'entries', entries: claudeEntries },
  },
  codex: {
    title: 'Codex',
    project: ['.codex', 'hooks.json'],
    user: ['.codex', 'hooks.json'],
    homeVariable: 'CODEX_HOME',
    trust: { note: trustNotes.codex, scopes: ['project', 'user'] },
    format: { kind: 'entries', entries: codexEntries },
  },
  cursor: {
    title: 'Cursor',
    project: ['.cursor', 'hooks.json'],
    user: ['.cursor', 'hooks.json'],
    format: { kind: 'entries', head: { version: 1 }, entries: cursorEntries },
  },
  copilot: {
    title: 'Copilot CLI',
    project: ['.github', 'hooks', 'workflowlookup.json'],
    format: { kind: 'file', text: copilotText },
  },
  gemini: {
    title: 'Gemini CLI',
    project: ['.gemini', 'settings.json'],
    user: ['.gemini', 'settings.json'],
    trust: { note: trustNotes.gemini, scopes: ['project'] },
    format: { kind: 'entries', entries: geminiEntries },
  },
  opencode: {
    title: 'OpenCode',
    project: ['.opencode', 'plugins', 'workflowlookup.js'],
    user: ['.config', 'opencode', 'plugins', 'workflowlookup.js'],
    format: { kind: 'file', text: opencodePlugin },
  },
};

/** Returns what is left to do before the hooks in a file run, if the client asks its user for trust. */
export function trustNote(client: HookClient, scope: Scope): string | undefined {
  const { trust } = clientHooks[client];
  return trust?.scopes.includes(scope) === true ? trust.note : undefined;
}
