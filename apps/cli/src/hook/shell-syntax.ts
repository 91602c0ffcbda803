/** One command of a command line, with its quotes removed. */
export interface ShellCommand {
  readonly words: string[];
  /** The command writes to a file by a redirection. */
  writes: boolean;
  /** The text that a here-document or a here-string gives to the command. */
  input: string;
  /** The command reads what the command before it prints. */
  readonly isPiped: boolean;
}

/** Devices that store nothing. */
const sinks = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/;

/**
 * Returns the commands of a command line, in order, with those in `$(…)`, backticks, `<(…)` and groups. It understands
 * enough of the language of shells to see what is run and where output goes, and never fails.
 */
export function shellCommands(line: string): readonly ShellCommand[] {
  const scanner = new Scanner(line);
  scanner.commandsUntil(false);
  return scanner.commands.filter(({ words, writes }) => words.length > 0 || writes);
}

interface HereDocument {
  readonly command: ShellCommand;
  readonly end: string;
  readonly isQuoted: boolean;
}

/** Commands that are nested deeper than this are ignored. */
const maxNesting = 100;

type Redirection = 'input' | 'output' | 'duplicate' | 'text';

/** Puts the words of a command together. */
class CommandReader {
  command: ShellCommand;
  /** Groups that are open. */
  depth = 0;
  /** The redirection whose target is the next word. */
  redirection: Redirection | undefined;
  #word: string | undefined;
  readonly #begin: (isPiped: boolean) => ShellCommand;

  constructor(begin: (isPiped: boolean) => ShellCommand) {
    this.#begin = begin;
    this.command = begin(false);
  }

  get isInWord(): boolean {
    return this.#word !== undefined;
  }

  get isEmpty(): boolean {
    return this.command.words.length === 0 && !this.isInWord;
  }

  /** In a test (`[[ a > b ]]`), most signs are words. */
  get isTest(): boolean {
    return this.command.words[0] === '[[' && this.command.words.at(-1) !== ']]';
  }

  append(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  endWord(): void {
    const { command, redirection } = this;
    const word = this.#word;
    if (word === undefined) return;
    if (redirection === undefined) command.words.push(word);
    else if (redirection === 'text') command.input += `${word}\n`;
    else command.writes ||= isWritten(redirection, word);
    [this.#word, this.redirection] = [undefined, undefined];
  }

  /** Ends the word before a redirection. Digits right before the sign only say what is redirected. */
  endWordBefore(): void {
    if (this.#word !== undefined && /^\d+$/.test(this.#word)) this.#word = undefined;
    this.endWord();
  }

  endCommand(isPiped: boolean): void {
    this.endWord();
    this.redirection = undefined;
    this.command = this.#begin(isPiped);
  }
}

class Scanner {
  readonly commands: ShellCommand[] = [];
  readonly #line: string;
  #at = 0;
  #nesting = 0;
  readonly #documents: HereDocument[] = [];

  constructor(line: string) {
    this.#line = line;
  }

  /** Reads commands up to the end, or up to a `)` that was not opened inside of them. */
  commandsUntil(isNested: boolean): void {
    const reader = new CommandReader((isPiped) => this.#begin(isPiped));
    while (this.#at < this.#line.length) {
      const found = this.#take(reader.isTest);
      if (found === ')' && reader.depth === 0 && isNested) break;
      if (/^\s/.test(found)) this.#endOf(reader, found);
      else if (/^[;&|()]/.test(found) && !found.startsWith('&>')) this.#separate(reader, found);
      else if (/^(?:[<>]|&>)/.test(found)) this.#redirect(reader, found);
      else if (found === '#' && !reader.isInWord) this.#skipLine();
      else reader.append(this.#textOf(found));
    }
    reader.endWord();
  }

  #endOf(reader: CommandReader, space: string): void {
    if (!space.endsWith('\n')) return reader.endWord();
    reader.endCommand(false);
    this.#readDocuments();
  }

  #separate(reader: CommandReader, sign: string): void {
    // `(( a > b ))` is arithmetic.
    if (sign === '(' && reader.isEmpty && this.#line.startsWith('(', this.#at)) return this.#skipPast('))');
    reader.depth += sign === '(' ? 1 : sign === ')' && reader.depth > 0 ? -1 : 0;
    reader.endCommand(sign === '|' || sign === '|&');
  }

  #redirect(reader: CommandReader, sign: string): void {
    if (sign.endsWith('(')) {
      this.#nestedCommands();
      reader.append('/dev/fd/0');
      return;
    }
    reader.endWordBefore();
    if (/^<<-?$/.test(sign)) this.#documents.push(this.#document(reader.command));
    else reader.redirection = redirectionOf(sign);
  }

  #begin(isPiped: boolean): ShellCommand {
    const command = { words: [], writes: false, input: '', isPiped };
    this.commands.push(command);
    return command;
  }

  /** Takes the next sign, or a run of plain characters. In a test, signs are characters. */
  #take(isTest: boolean): string {
    const signs =
      /\r?\n|[ \t\r]+|<<<|<<-?|<>|<&|<\(|<|>>|>&|>\||>\(|>|&>>?|&&|\|\||\|&|;;|[;&|()]|\$\(\(|\$\(|\$'|[`'"#]|\\[\s\S]?|[^\s<>&|;()$`'"#\\]+|[\s\S]/y;
    signs.lastIndex = this.#at;
    const found = signs.exec(this.#line)?.[0] ?? '';
    this.#at += found.length;
    return isTest && /^[<>&|()]/.test(found) ? 'x' : found;
  }

  /** Returns the text that a sign stands for. Commands inside of it are added to the others. */
  #textOf(found: string): string {
    switch (found) {
      case "'":
      case "$'":
        return this.#until("'", found === "$'");
      case '"':
        return this.#quoted();
      case '$((':
        this.#skipPast('))');
        return '0';
      case '$(':
        this.#nestedCommands();
        return '$()';
      case '`':
        this.#nested(this.#until('`', true));
        return '$()';
      default:
        if (found.startsWith('\\')) return found === '\\\n' ? '' : found.slice(1);
        return found;
    }
  }

  /** Reads up to the end of double quotes. */
  #quoted(): string {
    let text = '';
    while (this.#at < this.#line.length) {
      const found = /\$\(\(|\$\(|\\[\s\S]|["`]|[^$\\"`]+|[\s\S]/y;
      found.lastIndex = this.#at;
      const part = found.exec(this.#line)?.[0] ?? '';
      this.#at += part.length;
      if (part === '"') return text;
      if (part.startsWith('\\')) text += /[$`"\\]/.test(part[1] ?? '') ? part.slice(1) : part;
      else if (part.startsWith('$(') || part === '`') text += this.#textOf(part);
      else text += part;
    }
    return text;
  }

  /** Returns the text up to a sign, and skips the sign. */
  #until(end: string, hasEscapes: boolean): string {
    let text = '';
    while (this.#at < this.#line.length) {
      const character = this.#line[this.#at] ?? '';
      this.#at += 1;
      if (character === end) return text;
      if (hasEscapes && character === '\\') {
        text += this.#line[this.#at] ?? '';
        this.#at += 1;
      } else text += character;
    }
    return text;
  }

  #nestedCommands(): void {
    if (this.#nesting >= maxNesting) return;
    this.#nesting += 1;
    this.commandsUntil(true);
    this.#nesting -= 1;
  }

  #nested(text: string): void {
    this.commands.push(...shellCommands(text));
  }

  #skipLine(): void {
    const end = this.#line.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#line.length : end;
  }

  #skipPast(sign: string): void {
    const end = this.#line.indexOf(sign, this.#at);
    this.#at = end < 0 ? this.#line.length : end + sign.length;
  }

  /** Reads the word that ends a here-document. */
  #document(command: ShellCommand): HereDocument {
    const word = /[ \t]*(\S+)/y;
    word.lastIndex = this.#at;
    const [whole = '', end = ''] = word.exec(this.#line) ?? [];
    this.#at += whole.length;
    const [plain = ''] = /^[^;&|<>()]*/.exec(end) ?? [];
    this.#at -= end.length - plain.length;
    return { command, end: plain.replaceAll(/['"\\]/g, ''), isQuoted: /['"\\]/.test(plain) };
  }

  /** Reads the here-documents that were begun on the line before. */
  #readDocuments(): void {
    for (const { command, end, isQuoted } of this.#documents.splice(0)) {
      const lines: string[] = [];
      while (this.#at < this.#line.length) {
        const stop = this.#line.indexOf('\n', this.#at);
        const line = this.#line.slice(this.#at, stop < 0 ? undefined : stop);
        this.#at = stop < 0 ? this.#line.length : stop + 1;
        if (line.trim() === end) break;
        lines.push(line);
      }
      const text = lines.join('\n');
      command.input += text;
      // Where the end is not quoted, the shell runs the commands in `$(…)`.
      if (!isQuoted && /\$\(|`/.test(text)) this.#nested(`: "${text.replaceAll('"', '')}"`);
    }
  }
}

function redirectionOf(sign: string): Redirection {
  if (sign === '<<<') return 'text';
  if (sign === '<' || sign === '<&') return 'input';
  return sign === '>&' ? 'duplicate' : 'output';
}

function isWritten(redirection: Redirection, target: string): boolean {
  if (redirection === 'input' || sinks.test(target)) return false;
  return redirection !== 'duplicate' || !/^(?:\d+-?|-)$/.test(target);
}
