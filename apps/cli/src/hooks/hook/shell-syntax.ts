import type { Command, Redirection, SyntaxNode } from 'unbash';
import { forEachChild, parse } from 'unbash';

/** One command of a command line, with its quotes removed. */
export interface ShellCommand {
  readonly words: readonly string[];
  /** The command writes to a file by a redirection. */
  readonly writes: boolean;
  /** The text that a here-document or a here-string gives to the command. */
  readonly input: string;
  /** The command reads what the command before it prints. */
  readonly isPiped: boolean;
}

/** The most levels of the syntax tree that are read. A nested command takes about five of them. */
const maxDepth = 500;

/**
 * Returns the commands of a command line, in order, with those in `$(…)`, backticks, `<(…)`, groups and functions. What
 * is not finished or no shell command is read as far as it can be.
 */
export function shellCommands(line: string): readonly ShellCommand[] {
  const commands: ShellCommand[] = [];
  let isUnderstood = true;
  visit(parse(line), false, 0);
  // Another shell may understand what Bash does not. Then each part of the line may be a command.
  if (!isUnderstood) commands.push(...partsOf(line));
  return commands.filter(({ words, writes }) => words.length > 0 || writes);

  function visit(node: SyntaxNode, isPiped: boolean, depth: number): void {
    if (depth > maxDepth) return;
    if (node.type === 'Script' && node.errors !== undefined) isUnderstood = false;
    if (node.type === 'Command') commands.push(commandOf(wordsOf(node), node.redirects, isPiped));
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
function wordsOf({ name, prefix, args }: Command): readonly string[] {
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
