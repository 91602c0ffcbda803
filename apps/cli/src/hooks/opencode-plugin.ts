/**
 * Returns the plugin that connects OpenCode with the hook. OpenCode has no blocking stop, so the plugin sends the next
 * call as a new prompt when the agent becomes idle.
 */
export function opencodePlugin(command: readonly string[]): string {
  return `// Written by "workflowlookup hooks install opencode". Remove it with "workflowlookup hooks remove opencode".
import { spawn } from 'node:child_process';

const [program, ...args] = ${JSON.stringify(command)};

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

export const Workflowlookup = async ({ client, directory }) => {
  const base = (name, sessionID) => ({ hook_event_name: name, session_id: sessionID, cwd: directory });
  return {
    'tool.execute.before': async ({ tool, sessionID, callID }, { args: input }) => {
      const event = { tool_name: tool, tool_input: input, tool_use_id: callID };
      const reply = await ask({ ...base('PreToolUse', sessionID), ...event });
      if (reply.kind === 'deny') throw new Error(reply.reason);
    },
    'tool.execute.after': async ({ tool, sessionID, callID }, result) => {
      const event = { tool_name: tool, tool_input: {}, tool_use_id: callID, tool_response: result };
      await ask({ ...base('PostToolUse', sessionID), ...event });
    },
    'experimental.session.compacting': async ({ sessionID }, output) => {
      const reply = await ask({ ...base('SessionStart', sessionID), source: 'compact' });
      if (reply.kind === 'context') output.context.push(reply.text);
    },
    event: async ({ event }) => {
      if (event.type !== 'session.idle') return;
      const { sessionID } = event.properties;
      const reply = await ask(base('Stop', sessionID));
      if (reply.kind !== 'block-stop') return;
      const body = { parts: [{ type: 'text', text: reply.reason }] };
      await client.session.promptAsync({ path: { id: sessionID }, body });
    },
  };
};
`;
}
