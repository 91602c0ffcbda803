import type { Command, Redirection, SyntaxNode } from 'unbash';
import { forEachChild, parse } from 'unbash';

/** The effects of a command line that its words show. */
export interface CommandEffects {
  readonly isEdit: boolean;
  readonly isNetwork: boolean;
  /** A command that is known neither to write nor only to read. */
  readonly unknown?: string;
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Commands that write to files, whatever their arguments. */
const writers = wordsOf(
  'apply_patch applypatch rm mv cp tee touch mkdir rmdir ln dd truncate install chmod chown chgrp patch unlink shred split csplit rsync mkfifo mknod rename tar unzip zip gunzip gzip bzip2 bunzip2 xz unxz zstd unzstd 7z cpio sponge ed ex vi vim nvim nano emacs ' +
    'set-content add-content out-file new-item remove-item copy-item move-item rename-item clear-content ni ri ci mi del erase copy move ren md rd xcopy robocopy',
);
const readers = wordsOf(
  'cat ls cd pwd echo printf head tail wc grep egrep fgrep rg find sort uniq cut diff cmp file stat which true false test [ [[ : du df ps sleep tree basename dirname realpath readlink jq less more nl tr column type id uname whoami sed awk gawk mawk export set unset read local return exit break continue shift wait for case select esac fi done } zcat zgrep fd',
);
const networkCommands = wordsOf('curl wget ssh scp sftp nc ncat telnet ftp ping dig nslookup aria2c');

/** Commands that run the command after them. */
const wrappers = wordsOf(
  'sudo doas env nice ionice nohup time timeout command exec builtin xargs setsid stdbuf chrt taskset watch unbuffer strace ltrace busybox toybox parallel caffeinate npx bunx uvx',
);
/** Programs that run the command after the word `run`, `exec`, `x` or `dlx`. */
const runners = wordsOf('uv poetry pipenv pdm hatch rye conda mise npm pnpm yarn bun bundle');
/** Commands that take a word of their own before the command that they run. */
const wrappersWithWord = wordsOf('flock chroot su runuser');
const reserved = wordsOf('if then elif else while until do ! { coproc');
const shells = wordsOf('sh bash zsh dash ksh ash fish pwsh powershell cmd');
const interpreters =
  /^(?:python[\d.]*|pypy3?|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua|rscript|osascript|julia|groovy|[gmn]?awk)$/;

const none: CommandEffects = { isEdit: false, isNetwork: false };
const edit: CommandEffects = { isEdit: true, isNetwork: false };

/** The rest of a longer command line is ignored. Linux limits an argument to 128 KiB. */
const maxLength = 200_000;

/** The deepest nesting of command lines that is examined. */
const maxDepth = 5;

/**
 * Returns what a command line does. This is a guardrail and not a sandbox, because a program can write files although
 * its command line does not show it.
 */
export function effectsOfCommand(line: string, depth = 0): CommandEffects {
  if (depth > maxDepth) return { ...none, unknown: line };
  const commands = shellCommands(line.slice(0, maxLength));
  const variables = new Map<string, string>();
  const all = commands.map((command, at): CommandEffects => {
    const words = ownWords(command.words, variables);
    const given = command.isPiped ? `${command.input}\n${textBefore(commands, at)}` : command.input;
    const effects = effectsOfWords(words, given, depth);
    return command.writes ? { ...effects, isEdit: true } : effects;
  });
  const unknown = all.find((one) => one.unknown !== undefined)?.unknown;
  return {
    isEdit: all.some(({ isEdit }) => isEdit),
    isNetwork: all.some(({ isNetwork }) => isNetwork),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

/** Returns the effects of a program, from its text. */
export function effectsOfCode(code: string): CommandEffects {
  const nested = (text: string): boolean => effectsOfCommand(text, 1).isEdit;
  return codeWrites(code.slice(0, maxCode), false, nested) ? edit : { ...none, unknown: code };
}

/** Returns what the commands before a pipe print, if they only print their words. */
function textBefore(commands: readonly ShellCommand[], at: number): string {
  const { words = [], input = '' } = commands[at - 1] ?? {};
  const [first = '', ...rest] = words;
  return first === 'echo' || first === 'printf' || first === 'cat' ? `${rest.join(' ')}\n${input}` : '';
}

/** Returns the words of a command from its program on, and remembers the variables that are set before it. */
function ownWords(words: readonly string[], variables: Map<string, string>): readonly string[] {
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, name, value = ''] = /^(\w+)=([\s\S]*)$/.exec(word) ?? [];
    if (name !== undefined) variables.set(name, value);
    else if (word === 'function') at += 1;
    else if (!reserved.has(word)) break;
  }
  const [first = '', ...rest] = words.slice(at);
  const variable = /^\$\{?(\w+)\}?$/.exec(first)?.[1] ?? '';
  return [...(variables.get(variable) ?? first).split(/\s+/), ...rest].filter(
    (word, index) => index > 0 || word,
  );
}

function effectsOfWords(words: readonly string[], input: string, depth: number): CommandEffects {
  if (words.length === 0) return none;
  if (depth > maxDepth) return { ...none, unknown: words.join(' ') };
  const [word = '', ...rest] = words;
  const name = word
    .replace(/^.*[/\\]/, '')
    .replace(/\.exe$/i, '')
    .toLowerCase();
  const unknown: CommandEffects = { ...none, unknown: words.join(' ') };
  if (isInteractive(name, rest) && input === '') return edit;
  const inside = textInside(name, rest, input);
  if (inside !== undefined) return inside === '' ? unknown : effectsOfCommand(inside, depth + 1);
  const wrapped = wordsInside(name, rest);
  if (wrapped !== undefined) return effectsOfWrapped(wrapped, input, depth);
  if (name === 'git') return effectsOfGit(rest);
  if (networkCommands.has(name)) return { isEdit: savesFile(name, rest), isNetwork: true };
  if (writers.has(name)) return isOnlyReading(name, rest) ? none : edit;
  if (writesByOption(name, rest)) return edit;
  if (interpreters.test(name)) {
    const code = [...rest.filter((one) => /[\s(='"]/.test(one)), input].join('\n').slice(0, maxCode);
    const nested = (text: string): boolean => effectsOfCommand(text, depth + 1).isEdit;
    if (codeWrites(code, name.endsWith('awk'), nested)) return edit;
  }
  return readers.has(name) ? none : unknown;
}

/**
 * Returns whether a program waits for commands that are typed later. Some clients show hooks nothing of what an agent
 * types into a program, so this counts as an edit.
 */
function isInteractive(name: string, rest: readonly string[]): boolean {
  const isProgram = shells.has(name) || (interpreters.test(name) && !name.endsWith('awk'));
  return isProgram && rest.every((one) => /^(?:-|-i|-l|-il|-li|-q|--login|--interactive)$/.test(one));
}

/** Returns the command line that a command runs; empty if it runs one that is not known; or `undefined`. */
function textInside(name: string, rest: readonly string[], input: string): string | undefined {
  if (name === 'eval' || name === 'iex' || name === 'invoke-expression') return rest.join(' ');
  if (name === 'trap') return rest[0] ?? ':';
  if (!shells.has(name)) return undefined;
  const at = rest.findIndex((one) => /^(?:-[a-z]*c|-command|\/c)$/i.test(one));
  if (at < 0) return input.trim();
  return name === 'cmd' ? rest.slice(at + 1).join(' ') : (rest[at + 1] ?? '');
}

/** Returns the words of the command that a command runs, with options before them, or `undefined`. */
function wordsInside(name: string, rest: readonly string[]): readonly string[] | undefined {
  const [first = ''] = rest;
  // `command -v` only looks a command up.
  if (name === 'command' && /^-[vV]/.test(first)) return [];
  if (wrappersWithWord.has(name) && !first.startsWith('-')) return rest.slice(1);
  if (wrappers.has(name) || wrappersWithWord.has(name)) return rest;
  if (runners.has(name) && /^(?:run|exec|x|dlx)$/.test(first)) return rest.slice(1);
  if ((name !== 'find' && name !== 'fd') || writesByOption(name, rest)) return undefined;
  const at = rest.findIndex((one) => /^-(?:exec|execdir|ok|okdir|x|X)$|^--exec/.test(one));
  return at < 0 ? undefined : rest.slice(at + 1);
}

/** Returns what a command does that another one runs. A word after an option may belong to it, or be the program. */
function effectsOfWrapped(words: readonly string[], input: string, depth: number): CommandEffects {
  let last = none;
  for (const [at, word] of words.entries()) {
    if (word.startsWith('-') || /^\w+=/.test(word) || /^\d[\dx.]*[smhd]?$/.test(word)) continue;
    last = /\s/.test(word)
      ? effectsOfCommand(word, depth + 1)
      : effectsOfWords(words.slice(at), input, depth + 1);
    if (last.isEdit || last.isNetwork || words[at - 1]?.startsWith('-') !== true) break;
  }
  return last;
}

/** Arguments with which a command writes to a file. */
const writingArguments: ReadonlyMap<string, RegExp> = new Map([
  ['sed', /^-[nErsuzl]*i|^--in-place|(?:^|[;{}\d\n]|\/[gpIiMm\d]*)\s*w\s+[^\s/;]+$/],
  ['perl', /^-[pnalwesE0]*i/],
  ['ruby', /^-[pnalwesE0]*i/],
  ['yq', /^-i|^--inplace/],
  ['find', /^-(?:delete|fprint\w*|fls)$/],
  ['sort', /^-o|^--output/],
  ['tree', /^-o|^--output/],
]);

function writesByOption(name: string, rest: readonly string[]): boolean {
  return rest.some((one) => writingArguments.get(name)?.test(one) === true);
}

/** First arguments with which a command that usually writes only lists, prints or checks. */
const readingArguments: ReadonlyMap<string, RegExp> = new Map([
  ['tar', /^-?(?=[a-zA-Z]*t)(?![a-zA-Z]*[xcru])/],
  ['unzip', /^-(?:l|p|t|v|Z)/],
  ['gzip', /^-(?:\w*[clt])/],
  ['gunzip', /^-(?:\w*[clt])/],
]);

function isOnlyReading(name: string, rest: readonly string[]): boolean {
  if (name === 'patch') return rest.includes('--dry-run');
  return readingArguments.get(name)?.test(rest[0] ?? '') === true;
}

function savesFile(name: string, rest: readonly string[]): boolean {
  if (rest.includes('/dev/null')) return false;
  if (name === 'curl') return rest.some((one) => /^-[a-zA-Z]*[oO]|^--(?:output|remote-name)/.test(one));
  if (name === 'wget') return !rest.some((one) => /^(?:-q?O-|--spider|--output-document=-)$/.test(one));
  return name === 'scp' || name === 'sftp' || name === 'aria2c';
}

const gitWriters = wordsOf(
  'add am apply archive bundle checkout checkout-index cherry-pick clean clone commit filter-branch format-patch init merge mergetool mv pull push read-tree rebase reset restore revert rm sparse-checkout stash submodule switch update-index worktree',
);
const gitReaders = wordsOf(
  'annotate blame branch cat-file check-ignore config count-objects describe diff diff-tree fetch for-each-ref grep help log ls-files ls-remote ls-tree merge-base name-rev reflog remote rev-list rev-parse shortlog show show-ref status symbolic-ref tag version whatchanged',
);
const gitNetwork = wordsOf('clone fetch ls-remote pull push submodule');
/** Options of git that take the word after them. */
const gitOptions = wordsOf('-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix');

function effectsOfGit(words: readonly string[]): CommandEffects {
  const at = words.findIndex(
    (word, index) => !word.startsWith('-') && !gitOptions.has(words[index - 1] ?? ''),
  );
  const [command = '', ...rest] = at < 0 ? [] : words.slice(at);
  const isAlias = words.some((word) => word.startsWith('alias.'));
  const isReading =
    ((command === 'stash' || command === 'worktree') && /^(?:list|show)$/.test(rest[0] ?? '')) ||
    (command === 'apply' && rest.some((one) => /^--(?:check|stat|numstat|summary)$/.test(one)));
  const isEdit = (gitWriters.has(command) && !isReading) || rest.some((one) => one.startsWith('--output'));
  const isKnown = command === '' || gitWriters.has(command) || gitReaders.has(command);
  return {
    isEdit,
    isNetwork: gitNetwork.has(command),
    ...(isKnown && !isAlias ? {} : { unknown: ['git', ...words].join(' ') }),
  };
}

/** The most characters of a program that are examined. */
const maxCode = 100_000;

/** Calls that write to files in Python, JavaScript, Ruby, Perl, PHP and others. */
const writingCalls = [
  /\bopen\s*\([^)]{0,400},\s*(?:mode\s*=\s*)?['"][rbt]*[wax+]/,
  /\.open\s*\(\s*(?:mode\s*=\s*)?['"][rbt]*[wax]/,
  /\bopen\b[^;]{0,400}['"]\s*\+?>/,
  /write_(?:text|bytes)|writeFile|appendFile|createWriteStream|writeSync|copyFile|outputFile|file_put_contents|Bun\.write/,
  /\b(?:unlink|rename|rmdir|rm|mkdir|symlink|truncate|cp|chmod)Sync\b|\brmtree\b|\bmakedirs\b|\bcopytree\b|\bunlink\b/,
  /\b(?:os|shutil|fs|fsp|promises|FileUtils|File|Dir|IO|Deno)\s*\.\s*(?:write\w*|remove\w*|rename|replace|rm\w*|mkdir\w*|move|mv|copy\w*|cp\w*|delete|unlink|truncate|symlink|link|touch|chmod|chown|ftruncate)\b/,
  /\bFile\.open\s*\([^)]{0,400},\s*['"][rb]*[wa+]/,
  /\bfopen\s*\([^)]{0,400},\s*['"][rbt]*[waxc+]/,
  /\bPath\s*\([^)]{0,400}\)\s*\.\s*(?:touch|mkdir|rename|replace|unlink|rmdir|symlink_to|chmod)\b/,
];
const runningCalls =
  /\bsystem\b|\bsubprocess\b|\bpopen\b|\bexec\w*\b|\bspawn\w*\b|child_process|\bqx\b|%x|`|shell/i;

/** Returns whether the code of a program has a call that writes to files, or runs a command that does. */
function codeWrites(code: string, isAwk: boolean, nested: (text: string) => boolean): boolean {
  if (isAwk && /\bprintf?\b[^;}\n]*>\s*(?!\s*"\/dev\/)[">$\w]/.test(code)) return true;
  if (!isAwk && writingCalls.some((pattern) => pattern.test(code))) return true;
  if (!runningCalls.test(code)) return false;
  const texts = code.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g);
  return [...texts].some(([, one, other, third]) => nested(one ?? other ?? third ?? ''));
}

/** One command of a command line, with its quotes removed. */
interface ShellCommand {
  readonly words: readonly string[];
  /** The command writes to a file by a redirection. */
  readonly writes: boolean;
  /** The text that a here-document or a here-string gives to the command. */
  readonly input: string;
  /** The command reads what the command before it prints. */
  readonly isPiped: boolean;
}

/** The most levels of the syntax tree that are read. A nested command takes about five of them. */
const maxTreeDepth = 500;

/**
 * Returns the commands of a command line, in order, with those in `$(…)`, backticks, `<(…)`, groups and functions. What
 * is not finished or no shell command is read as far as it can be.
 */
function shellCommands(line: string): readonly ShellCommand[] {
  const commands: ShellCommand[] = [];
  let isUnderstood = true;
  visit(parse(line), false, 0);
  // Another shell may understand what Bash does not. Then each part of the line may be a command.
  if (!isUnderstood) commands.push(...partsOf(line));
  return commands.filter(({ words, writes }) => words.length > 0 || writes);

  function visit(node: SyntaxNode, isPiped: boolean, depth: number): void {
    if (depth > maxTreeDepth) return;
    if (node.type === 'Script' && node.errors !== undefined) isUnderstood = false;
    if (node.type === 'Command') commands.push(commandOf(wordsIn(node), node.redirects, isPiped));
    if (node.type === 'Redirected') commands.push(commandOf([], node.redirects, isPiped));
    let isPipedNext = isPiped;
    forEachChild(node, (child) => {
      visit(child, isPipedNext, depth + 1);
      isPipedNext = node.type === 'Pipeline';
    });
  }
}

/** The most parts of a line that are read if Bash does not understand it. */
const maxParts = 2000;

/** Returns what could be the commands of a line in any shell. */
function partsOf(line: string): readonly ShellCommand[] {
  return line.split(/[\n;&|(){}`]+/, maxParts).map((part) => ({
    words: part
      .replaceAll(/['"]/g, '')
      .split(/\s+/)
      .filter((word) => word !== ''),
    writes: />\s*(?!\/dev\/)[^\s>]/.test(part),
    input: '',
    isPiped: false,
  }));
}

/** Returns the words of a command, with the variables that are set before it. */
function wordsIn({ name, prefix, args }: Command): readonly string[] {
  const variables = prefix.filter((one) => one.type === 'Assignment');
  return [...variables, ...(name === undefined ? [] : [name]), ...args].map((one) => {
    if (one.type === 'Word') return one.value;
    return one.value.type === 'Word' ? `${one.name}=${one.value.value}` : one.text;
  });
}

function commandOf(
  words: readonly string[],
  redirections: readonly Redirection[],
  isPiped: boolean,
): ShellCommand {
  return { words, writes: redirections.some(isWriting), input: redirections.map(inputOf).join(''), isPiped };
}

/** Devices that store nothing. */
const sinks = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/;

function isWriting(redirection: Redirection): boolean {
  if (redirection.type !== 'Redirect' || /^<&?$/.test(redirection.operator)) return false;
  const { value = '' } = redirection.target ?? {};
  const isDuplicate = redirection.operator === '>&' && /^(?:\d+-?|-)$/.test(value);
  return value !== '' && !isDuplicate && !sinks.test(value);
}

function inputOf(redirection: Redirection): string {
  if (redirection.type === 'HereDoc') return redirection.body.text;
  return redirection.type === 'HereString' ? `${redirection.target?.value ?? ''}\n` : '';
}
