import { readdir } from 'node:fs/promises';
import type { Argument, Command, Option } from 'commander';
import type { CommandLine, Environment } from './command-line.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { IdKind } from './complete-ids.ts';

/** Directives for the shell: don't complete file names yourself, and don't add a space. */
const directives = { noFiles: 4, noSpace: 2 };

/**
 * Matches what is safe to complete. A shell inserts suggestions without quotes, so it would expand or run anything
 * else.
 */
const plainWord = /^[\p{L}\p{M}\p{N}_./:@+,=-]+$/u;

/** Prints the completions of the last word in the format that the shell scripts read. */
export async function complete(
  program: Command,
  words: readonly string[],
  { terminal, env }: CommandLine,
): Promise<void> {
  const current = words.at(-1) ?? '';
  const position = positionInLine(program, words.slice(0, -1), current);
  const start = position.word.kind === 'value' ? current.replace(/^--?[\w-]+=/, '') : current;
  const all = await suggestionsFor(position, { start, env });
  const fitting = all
    .filter(({ value }) => value.startsWith(start) && plainWord.test(value))
    // A file name may look like an option that the user did not type.
    .filter(({ value }) => !value.startsWith('-') || start.startsWith('-'));
  const isFolder = fitting.length === 1 && fitting[0]?.value.endsWith('/') === true;
  const lines = fitting.map(({ value, about }) =>
    about === undefined ? value : `${value}\t${plainLine(about)}`,
  );
  const directive = directives.noFiles + (isFolder ? directives.noSpace : 0);
  await terminal.print(`${[...lines, `:${directive}`].join('\n')}\n`);
}

export interface Suggestion {
  readonly value: string;
  /** A description shown beside it. */
  readonly about?: string;
}

/**
 * Returns the files and folders, or only the folders, whose paths begin with `start`. Hidden ones are included only
 * if `start` names them.
 */
async function pathsFrom(start: string, onlyFolders: boolean): Promise<readonly Suggestion[]> {
  const folder = start.slice(0, start.lastIndexOf('/') + 1);
  // An unreadable folder has no suggestions.
  const entries = await readdir(folder || '.', { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() || !onlyFolders)
    .filter(({ name }) => !name.startsWith('.') || start.startsWith(`${folder}.`))
    .map((entry) => ({ value: `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}` }));
}

type Kind = IdKind | 'files' | 'folders';

/** What to suggest for an argument or option value, by its name in the usage: `show <session>`, `--state <dir>`. */
const kindsByName: Readonly<Record<string, readonly Kind[]>> = {
  dir: ['folders'],
  file: ['files'],
  files: ['files'],
  paths: ['files'],
  targets: ['sessions', 'files'],
  session: ['sessions'],
  output: ['files'],
  workflow: ['workflows'],
  key: ['keys'],
};

async function suggestionsFor(
  { command, given, word }: CursorPosition,
  typed: { readonly start: string; readonly env: Environment },
): Promise<readonly Suggestion[]> {
  if (word.kind === 'option') return optionsOf(command);
  const commands = word.kind === 'argument' && word.isFirst ? commandsOf(command) : [];
  const target = word.kind === 'value' ? word.option : word.argument;
  if (target?.argChoices !== undefined) return target.argChoices.map((value) => ({ value }));
  const kinds = target === undefined ? [] : (kindsByName[nameOf(target)] ?? []);
  const found = await Promise.all(
    kinds.map(async (kind) =>
      kind === 'files' || kind === 'folders'
        ? pathsFrom(typed.start, kind === 'folders')
        : (await import('./complete-ids.ts')).idsOf(kind, given, typed.env),
    ),
  );
  return [...commands, ...found.flat()];
}

/** Returns the name in the usage, or the name of the option itself if that is in the table above. */
function nameOf(target: Argument | Option): string {
  if (!('flags' in target)) return target.name();
  const own = target.attributeName();
  return own in kindsByName ? own : (/[<[](\w+)/.exec(target.flags)?.[1] ?? '');
}

function optionsOf(command: Command): readonly Suggestion[] {
  const options = command.createHelp().visibleOptions(command);
  return options.map(({ long, short, description }) => ({ value: long ?? short ?? '', about: description }));
}

function commandsOf(command: Command): readonly Suggestion[] {
  const commands = command.createHelp().visibleCommands(command);
  return commands.map((one) => ({ value: one.name(), about: one.description() }));
}

type CurrentWord =
  | { readonly kind: 'value'; readonly option: Option }
  | { readonly kind: 'option' }
  | {
      readonly kind: 'argument';
      /** Absent if the command takes no further argument. */
      readonly argument: Argument | undefined;
      /** Whether a subcommand may be typed here too. */
      readonly isFirst: boolean;
    };

interface CursorPosition {
  readonly command: Command;
  /** The option values before the cursor, by attribute name. */
  readonly given: Readonly<Record<string, string>>;
  readonly word: CurrentWord;
}

interface Scan extends Omit<CursorPosition, 'word'> {
  readonly count: number;
  /** An option that still needs its value. */
  readonly open?: Option;
  /** True after `--`, where nothing is an option. */
  readonly hasOptionsEnded: boolean;
}

/** Reads the words before the cursor, and the beginning of the word at the cursor, as the parser would. */
function positionInLine(program: Command, before: readonly string[], current: string): CursorPosition {
  const start: Scan = { command: program, given: {}, count: 0, hasOptionsEnded: false };
  const scan = before.reduce(scanWord, start);
  return { command: scan.command, given: scan.given, word: currentWordOf(scan, current) };
}

function scanWord(scan: Scan, word: string): Scan {
  const { open, ...closed } = scan;
  if (open !== undefined) return { ...closed, given: { ...scan.given, [open.attributeName()]: word } };
  if (word === '--') return { ...scan, hasOptionsEnded: true };
  if (word.startsWith('-') && !scan.hasOptionsEnded) {
    const option = optionOf(scan.command, word);
    return option === undefined || word.includes('=') ? scan : { ...scan, open: option };
  }
  const below = scan.command.commands.find((command) => command.name() === word);
  return below === undefined ? { ...scan, count: scan.count + 1 } : { ...scan, command: below };
}

function currentWordOf({ command, count, hasOptionsEnded, open }: Scan, current: string): CurrentWord {
  if (open !== undefined) return { kind: 'value', option: open };
  if (current.startsWith('-') && !hasOptionsEnded) {
    const option = current.includes('=') ? optionOf(command, current) : undefined;
    return option === undefined ? { kind: 'option' } : { kind: 'value', option };
  }
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  const argument = all[count] ?? (last?.variadic === true ? last : undefined);
  return { kind: 'argument', argument, isFirst: count === 0 };
}

/** Returns the option that a word names if it takes a value. */
function optionOf(command: Command, word: string): Option | undefined {
  const [name] = word.split('=', 1);
  return command.options.find(
    ({ short, long, required, optional }) => (name === short || name === long) && (required || optional),
  );
}

/**
 * The script that completes `workflowlookup` in bash. Unlike the one of `@bomb.sh/tab`, it does not use `compgen -W`,
 * which expands its argument and would run a `$(...)` in a file name.
 */
export const bashScript = String.raw`# bash completion for workflowlookup

__workflowlookup_complete() {
    local cur prev words cword
    _get_comp_words_by_ref -n "=:" cur prev words cword

    local request="workflowlookup complete -- ${'$'}{words[@]:1}"
    if [[ -z "$cur" ]]; then
        request="$request ''"
    fi

    COMPREPLY=()
    local line value
    while IFS= read -r line; do
        value=${'$'}{line%%$'\t'*}
        case "$value" in
            :4) compopt +o default ;;
            :6) compopt +o default -o nospace ;;
            "$cur"*) COMPREPLY+=("$value") ;;
        esac
    done < <(eval "$request" 2>/dev/null)
}

complete -F __workflowlookup_complete workflowlookup
`;
