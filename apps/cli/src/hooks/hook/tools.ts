import { shellWord } from '../../commands/command-line.ts';
import type { ToolUse } from './events.ts';
import type { CommandEffects } from './shell-effects.ts';
import { effectsOfCode, effectsOfCommand } from './shell-effects.ts';

/** What an activity may allow. */
export type ToolKind = 'edit' | 'shell' | 'network';

/** What a call of a tool does. */
export interface ToolEffects {
  readonly kinds: readonly ToolKind[];
  /** The command of a shell that is known neither to write nor only to read. */
  readonly unknownCommand?: string;
}

const editTools = new Set(
  'edit write multiedit notebookedit apply_patch applypatch patch write_file replace edit_file create delete delete_file str_replace str_replace_editor str_replace_based_edit_tool save_memory'.split(
    ' ',
  ),
);
const shellTools = new Set(
  'bash shell run_shell_command local_shell exec_command exec terminal powershell monitor run_terminal_cmd unified_exec write_stdin write_bash write_powershell'.split(
    ' ',
  ),
);
const networkTools = new Set(
  'webfetch web_fetch websearch web_search google_web_search google_search fetch'.split(' '),
);

const verbs =
  'write|edit|create|delete|remove|move|copy|rename|patch|append|insert|replace|update|modify|save|put|overwrite';
const things = 'files?|folder|director(?:y|ies)|lines?|blocks?|symbol|regex|content|notebook|cells?|text';

/** Names of tools of MCP servers that write files, with or without the name of the server before them. */
const editNames = new RegExp(
  `(?:^|[^a-z])(?:(?:${verbs})_(?:\\w+_)?(?:${things})(?:_\\w+)?|insert_(?:before|after)_symbol|apply_(?:patch|diff|edits?)|str_replace\\w*|multi_?edit|file_(?:${verbs})|git_(?:add|commit|checkout|reset|apply|merge|rebase|clone|init|restore|stash))$`,
);
/** Names of tools of MCP servers that run commands. */
const shellNames =
  /(?:^|[^a-z])(?:(?:run|execute|exec|start)_(?:\w+_)?(?:commands?|cmd|shell|terminal|process|bash)|run_in_terminal|bash|shell|terminal|powershell)$/;
/** Names of tools that run a program which is given as text. */
const codeNames =
  /(?:^|[^a-z])(?:(?:run|execute|exec)_(?:\w+_)?(?:code|script|cell|python|javascript|js)(?:_code)?|repl|code_interpreter)$/;

/** Returns what a call of a tool does, or nothing if the tool neither edits, nor runs commands, nor uses the network. */
export function effectsOf({ name, input }: Pick<ToolUse, 'name' | 'input'>): ToolEffects {
  const kind = ownToolOf(name) === undefined ? kindOf(name) : undefined;
  if (kind === 'shell') return shellKinds(effectsOfCommand(commandIn(input)));
  if (kind === 'code') return shellKinds(effectsOfCode(commandIn(input)));
  return { kinds: kind === undefined ? [] : [kind] };
}

function kindOf(name: string): ToolKind | 'code' | undefined {
  const short = name.toLowerCase();
  if (editTools.has(short)) return 'edit';
  if (networkTools.has(short)) return 'network';
  if (shellTools.has(short)) return 'shell';
  // "writeFile", "write-file" and "write_file" are one name.
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/[-.]/g, '_')
    .toLowerCase();
  if (editNames.test(words)) return 'edit';
  if (codeNames.test(words)) return 'code';
  return shellNames.test(words) ? 'shell' : undefined;
}

function shellKinds({ isEdit, isNetwork, unknown }: CommandEffects): ToolEffects {
  return {
    kinds: ['shell', ...(isEdit ? (['edit'] as const) : []), ...(isNetwork ? (['network'] as const) : [])],
    ...(unknown === undefined || isEdit ? {} : { unknownCommand: unknown }),
  };
}

/** Returns whether a tool of a client runs commands. */
export function isShell(name: string): boolean {
  return shellTools.has(name.toLowerCase());
}

/** Returns the command line, or the program, in the arguments of a tool that runs it. */
export function commandIn(input: ToolUse['input']): string {
  const given =
    ['command', 'cmd', 'script', 'code', 'input', 'chars']
      .map((key) => input[key])
      .find((one) => one != null) ?? '';
  if (Array.isArray(given)) return given.map((word) => shellWord(String(word))).join(' ');
  return typeof given === 'string' ? given : JSON.stringify(given);
}

const ownTools =
  /(?:^|[^a-z])(start_session|next_activity|get_activity|get_workflow_status|get_workflow|yield_checkpoint|present_checkpoint|respond_checkpoint|resume_checkpoint|park)$/;

/** Returns the tool of this server that a client calls under a longer name, or `undefined` for another tool. */
export function ownToolOf(name: string): string | undefined {
  return ownTools.exec(name)?.[1];
}

/** A session token that a result contains, and the session that it names. */
export interface FoundToken {
  readonly token: string;
  readonly sid: string;
  /** The revision that its holder knows; absent in tokens that say more. */
  readonly revision?: number;
}

/** Returns the last session token in the result of a tool. The signature is not checked: only the server has the keys. */
export function tokenIn(output: unknown): FoundToken | undefined {
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? '');
  const marked = [...text.matchAll(/session_token\W{1,12}(wl_[\w-]{39,44}|[\w-]{40,}\.[0-9a-f]{64})/g)].at(
    -1,
  )?.[1];
  return marked === undefined ? undefined : foundToken(marked);
}

/** Returns the session that a token names. The signature is not checked. */
export function foundToken(token: string): FoundToken | undefined {
  if (token.startsWith('wl_')) {
    const bytes = Buffer.from(token.slice(3), 'base64url');
    // The revision has 2 bytes in the short form of a token, which has 29 bytes, and 4 in the long one.
    const revision = bytes.readUIntBE(10, bytes.length === 29 ? 2 : 4);
    return { token, sid: bytes.subarray(0, 10).toString('hex'), revision };
  }
  try {
    const body = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('utf8')) as {
      readonly sid?: unknown;
    };
    return typeof body.sid === 'string' && /^[0-9a-f]{20}$/.test(body.sid)
      ? { token, sid: body.sid }
      : undefined;
  } catch {
    // Not a token of a session.
    return undefined;
  }
}
