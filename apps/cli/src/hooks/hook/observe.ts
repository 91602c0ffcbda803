import type { HookAct } from '@workflowlookup/host/hook-acts';
import type { BoundSession } from './bindings.ts';
import type { HookEvent, ToolReturned, ToolUse } from './events.ts';
import { commandIn, isShell } from './tools.ts';
import { hookReplies } from '../../messages/hook-replies.ts';
import type { HookParts, HookReply } from './rules.ts';

/** A command that a session asks for as a check, and the state of the files before it ran. */
export interface CheckBefore {
  readonly command: string;
  /** Absent if the client gives calls no id. */
  readonly id?: string;
  /** The state of all files. */
  readonly tree: string;
}

export const none: HookReply = { kind: 'none' };

export function record(
  { bindings, now }: Pick<HookParts, 'bindings' | 'now'>,
  { client }: Pick<HookEvent, 'client'>,
  act: Omit<HookAct, 'at' | 'client'>,
): void {
  bindings.record({ at: now().toISOString(), client, ...act });
}

/** Records the state of the files before a command that the session may ask for as a check. */
export async function noteCheck(
  { bindings, engine, mayBeCheck }: HookParts,
  { event, tool, bound }: { readonly event: HookEvent; readonly tool: ToolUse; readonly bound: BoundSession },
): Promise<void> {
  const command = checkIn(tool);
  if (command === undefined || !mayBeCheck(event.cwd, command)) return;
  const tree = await engine.treeBefore(bound, { folder: event.cwd, command });
  const { check: _last, ...before } = bindings.load(event);
  const id = tool.id === undefined ? {} : { id: tool.id };
  bindings.save(event, tree === undefined ? before : { ...before, check: { command, ...id, tree } });
}

/**
 * Records as evidence that a command passed or failed that the session asks for as a check. Nothing is recorded if the
 * client does not tell how it ended, or if files changed while it ran.
 */
export async function observe({ bindings, engine, now }: HookParts, event: ToolReturned): Promise<HookReply> {
  const command = checkIn(event.tool);
  if (command === undefined) return none;
  const { check, ...before } = bindings.load(event);
  if (check?.command !== command || check.id !== event.tool.id) return none;
  bindings.save(event, before);
  const exitCode = exitCodeOf(event);
  const bound = before.sessions.at(-1);
  if (exitCode === undefined || bound === undefined) return none;
  const found = { folder: event.cwd, command, exitCode, tree: check.tree };
  const ids = await engine.recordCheck(bound, found);
  if (ids.length === 0) return none;
  record({ bindings, now }, event, { rule: 'observe', act: 'observed', sid: bound.sid });
  return {
    kind: 'context',
    text: hookReplies.observed(ids.join("', '"), exitCode === 0 ? 'passed' : 'failed'),
  };
}

/** Returns the command of a shell that runs it to its end, without spaces around it. */
function checkIn({ name, input }: ToolUse): string | undefined {
  const isLeftRunning = input['run_in_background'] === true || input['is_background'] === true;
  return isShell(name) && !isLeftRunning ? commandIn(input).trim() : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the exit code of a command, or `undefined` if its client does not tell it. */
function exitCodeOf({ client, output, isFailed }: ToolReturned): number | undefined {
  const fields: Fields = typeof output === 'object' && output !== null ? (output as Fields) : {};
  switch (client) {
    case 'claude-code': {
      if (isFailed) return numberIn(/^Exit code (\d+)/, output);
      const isOver = fields['interrupted'] === false && fields['backgroundTaskId'] === undefined;
      return isOver ? 0 : undefined;
    }
    case 'gemini': {
      const text = fields['llmContent'];
      const isOver = typeof text === 'string' && /^Process Group PGID: \d+$/m.test(text);
      if (!isOver || fields['error'] !== undefined || /^Signal: /m.test(text)) return undefined;
      return numberIn(/^Exit Code: (\d+)$/m, text) ?? 0;
    }
    case 'opencode': {
      const { exit } = (fields['metadata'] ?? {}) as { readonly exit?: unknown };
      return typeof exit === 'number' ? exit : undefined;
    }
    default:
      return undefined;
  }
}

function numberIn(pattern: RegExp, text: unknown): number | undefined {
  const found = typeof text === 'string' ? pattern.exec(text)?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}
