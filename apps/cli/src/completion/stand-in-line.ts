import type { Argument, Command, Option } from 'commander';

/** What the word under the cursor is to be. */
type Place =
  | { readonly kind: 'value'; readonly option: Option }
  | { readonly kind: 'option' }
  | {
      readonly kind: 'argument';
      /** Absent where no further one is taken. */
      readonly argument: Argument | undefined;
      /** Whether a command may stand here too. */
      readonly isFirst: boolean;
    };

/** Where in a command line the cursor stands. */
export interface Stand {
  readonly command: Command;
  /** The values of options before it, by attribute. */
  readonly given: Readonly<Record<string, string>>;
  readonly place: Place;
}

interface Walk extends Omit<Stand, 'place'> {
  /** Arguments of the command so far. */
  readonly count: number;
  /** An option whose value comes next. */
  readonly open?: Option;
  /** After `--` nothing is an option. */
  readonly isOver: boolean;
}

/** Reads the words before the cursor, and the beginning of the one under it, as the parser would. */
export function standInLine(program: Command, before: readonly string[], current: string): Stand {
  const start: Walk = { command: program, given: {}, count: 0, isOver: false };
  const walk = before.reduce(step, start);
  return { command: walk.command, given: walk.given, place: placeOf(walk, current) };
}

function step(walk: Walk, word: string): Walk {
  const { open, ...closed } = walk;
  if (open !== undefined) return { ...closed, given: { ...walk.given, [open.attributeName()]: word } };
  if (word === '--') return { ...walk, isOver: true };
  if (word.startsWith('-') && !walk.isOver) {
    const option = optionOf(walk.command, word);
    return option === undefined || word.includes('=') ? walk : { ...walk, open: option };
  }
  const below = walk.command.commands.find((command) => command.name() === word);
  return below === undefined ? { ...walk, count: walk.count + 1 } : { ...walk, command: below };
}

function placeOf({ command, count, isOver, open }: Walk, current: string): Place {
  if (open !== undefined) return { kind: 'value', option: open };
  if (current.startsWith('-') && !isOver) {
    const option = current.includes('=') ? optionOf(command, current) : undefined;
    return option === undefined ? { kind: 'option' } : { kind: 'value', option };
  }
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  const argument = all[count] ?? (last?.variadic === true ? last : undefined);
  return { kind: 'argument', argument, isFirst: count === 0 };
}

/** The option that a word names, where it takes a value. */
function optionOf(command: Command, word: string): Option | undefined {
  const [name] = word.split('=', 1);
  return command.options.find(
    ({ short, long, required, optional }) => (name === short || name === long) && (required || optional),
  );
}
