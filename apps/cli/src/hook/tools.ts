import type { ToolUse } from './events.ts';

/** What an activity may allow. */
export type ToolKind = 'edit' | 'shell' | 'network';

/** What a call of a tool does. */
export interface ToolEffects {
  readonly kinds: readonly ToolKind[];
  /** The command of a shell that is known neither to write nor only to read. */
  readonly unknownCommand?: string;
}

const editTools = new Set(
  'edit write multiedit notebookedit apply_patch applypatch patch write_file replace edit_file create delete delete_file str_replace str_replace_editor str_replace_based_edit_tool'.split(
    ' ',
  ),
);
const shellTools = new Set(
  'bash shell run_shell_command local_shell exec_command exec terminal powershell run_terminal_cmd unified_exec'.split(
    ' ',
  ),
);
const networkTools = new Set(
  'webfetch web_fetch websearch web_search google_web_search google_search fetch'.split(' '),
);

/** Commands that write to files, wherever they stand in a command line. */
const writers = new Set(
  'apply_patch rm mv cp tee touch mkdir rmdir ln dd truncate install chmod chown patch unlink shred split rsync mkfifo rename tar unzip gunzip gzip'.split(
    ' ',
  ),
);
/** Commands of git that change the working tree or the history. */
const gitWriters = new Set(
  'add am apply checkout cherry-pick clean clone commit init merge mv pull push rebase reset restore revert rm stash switch worktree'.split(
    ' ',
  ),
);
const readers = new Set(
  'cat ls cd pwd echo printf head tail wc grep rg find sort uniq cut diff file stat which env date true false test du df ps sleep tree basename dirname realpath readlink jq less more nl tr column type id uname whoami'.split(
    ' ',
  ),
);
const networkCommands = new Set('curl wget ssh scp sftp nc telnet ftp ping dig nslookup'.split(' '));

/** Returns what a call of a tool does, or nothing if the tool neither edits, nor runs commands, nor uses the network. */
export function effectsOf({ name, input }: Pick<ToolUse, 'name' | 'input'>): ToolEffects {
  const short = name.toLowerCase();
  if (editTools.has(short)) return { kinds: ['edit'] };
  if (networkTools.has(short)) return { kinds: ['network'] };
  if (!shellTools.has(short)) return { kinds: [] };
  return commandEffects(commandIn(input));
}

/** Returns whether a tool of a client runs commands. */
export function isShell(name: string): boolean {
  return shellTools.has(name.toLowerCase());
}

/** Returns the command line in the arguments of a shell tool. */
export function commandIn(input: ToolUse['input']): string {
  const given = input['command'] ?? input['cmd'] ?? input['script'] ?? input['input'] ?? '';
  if (Array.isArray(given)) return given.map(String).join(' ');
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/**
 * Returns what a command line does. This is a guardrail and no sandbox: a program can write without a sign of it in its
 * command line.
 */
function commandEffects(command: string): ToolEffects {
  const { redirects, commands } = splitCommands(command);
  const words = commands.map((part) => wordsOf(part));
  const isEdit = redirects || words.some((one) => writes(one));
  const isNetwork = words.some(([first = '']) => networkCommands.has(first));
  const unknown = isEdit ? undefined : words.find(([first = '']) => first !== '' && !isReader(first));
  return {
    kinds: ['shell', ...(isEdit ? (['edit'] as const) : []), ...(isNetwork ? (['network'] as const) : [])],
    ...(unknown === undefined || isNetwork ? {} : { unknownCommand: unknown.join(' ') }),
  };
}

function isReader(word: string): boolean {
  return readers.has(word) || word === 'git';
}

/** Words before a command that run it. */
const prefixes = new Set('sudo env command exec nohup time nice xargs then do else builtin'.split(' '));
const shells = new Set(['sh', 'bash', 'zsh', 'dash']);

/** Returns the words of a command, from the program on and without its folder. */
function wordsOf(part: string): readonly string[] {
  const words = part
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/["'\\]/g, ''));
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? '';
    if (
      !prefixes.has(word) &&
      !/^\w+=/.test(word) &&
      !/^[({!]+$/.test(word) &&
      !(at > 0 && word.startsWith('-'))
    )
      break;
    at += 1;
  }
  const [first = '', ...rest] = words.slice(at);
  return [first.replace(/^[({]+/, '').replace(/^.*\//, ''), ...rest];
}

function writes([first = '', ...rest]: readonly string[]): boolean {
  if (writers.has(first)) return true;
  if (first === 'git') return gitWriters.has(gitCommandIn(rest));
  if (first === 'sed' || first === 'perl' || first === 'ruby')
    return rest.some((word) => /^-[a-zA-Z]*i/.test(word) || word.startsWith('--in-place'));
  if (first === 'find') return rest.some((word) => word === '-delete' || word.startsWith('-exec'));
  if (shells.has(first)) return rest.includes('-c') && writesInside(rest.slice(rest.indexOf('-c') + 1));
  return false;
}

/** Returns the command of git, after its options. */
function gitCommandIn(words: readonly string[]): string {
  const at = words.findIndex(
    (word, index) => !word.startsWith('-') && !/^-[cC]$/.test(words[index - 1] ?? ''),
  );
  return words[at] ?? '';
}

function writesInside(words: readonly string[]): boolean {
  return commandEffects(words.join(' ')).kinds.includes('edit');
}

/** Devices that nothing is kept in. */
const sinks = /^\/dev\/(?:null|stdout|stderr|tty)/;

/** The parts of a command line. Text in quotes is one part, except commands in it. */
const parts = /\\[\s\S]|'[^']*'|"|`|\$\(|\d*>[>|&]?\s*|[;|&\n()]|[^\\'"`$>;|&\n()\d]+|[\s\S]/g;

/** Signs that end a command. Inside of double quotes only some of them do. */
const ends: ReadonlySet<string> = new Set([';', '|', '&', '\n', '(', ')', '`', '$(']);
const endsInQuotes: ReadonlySet<string> = new Set(['`', '$(', ')']);

/**
 * Splits a command line into its commands, and says whether one of them writes to a file by `>`. Text in quotes is not
 * split, but commands in `$(…)` and backticks are.
 */
function splitCommands(line: string): { readonly commands: readonly string[]; readonly redirects: boolean } {
  const commands = [''];
  let [isQuoted, redirects] = [false, false];
  for (const { 0: part, index } of line.matchAll(parts)) {
    const isEnd = (isQuoted ? endsInQuotes : ends).has(part);
    const isRedirect = !isQuoted && /^\d*>/.test(part);
    if (part === '"') isQuoted = !isQuoted;
    if (isEnd) commands.push('');
    else commands[commands.length - 1] += isRedirect ? ' > ' : part;
    if (isRedirect) redirects ||= isWritten(line, index, part);
  }
  return { commands: commands.filter((command) => command.trim() !== ''), redirects };
}

/** Returns whether a `>` writes to a file. `->` and `=>` are parts of other languages. */
function isWritten(line: string, index: number, part: string): boolean {
  const target = line.slice(index + part.length);
  if (part.trim().endsWith('>&') && /^(\d|-)/.test(target)) return false;
  return !/[-=]/.test(line[index - 1] ?? '') && !sinks.test(target);
}

const ownTools =
  /(?:^|[^a-z])(start_session|next_activity|get_activity|get_workflow_status|get_workflow|yield_checkpoint|present_checkpoint|respond_checkpoint|resume_checkpoint|park|submit_step)$/;

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
  return marked === undefined ? undefined : readToken(marked);
}

function readToken(token: string): FoundToken | undefined {
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
