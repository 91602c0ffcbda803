import type { Argument, Command, Option } from 'commander';
import type { Environment } from '../command-line.ts';
import type { Kept } from './ids-of.ts';
import { pathsFrom } from './paths-from.ts';
import type { Stand } from './stand-in-line.ts';
import type { Suggestion } from './suggestion.ts';

/** What is typed of the word so far, and where its process runs. */
export interface Typed {
  readonly start: string;
  readonly env: Environment;
}

type Kind = Kept | 'files' | 'folders';

/** What an argument or the value of an option is, by its name in the usage: `show <session>`, `--state <dir>`. */
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

/** What can stand where the cursor is. */
export async function suggestionsFor(
  { command, given, place }: Stand,
  typed: Typed,
): Promise<readonly Suggestion[]> {
  if (place.kind === 'option') return optionsOf(command);
  const commands = place.kind === 'argument' && place.isFirst ? commandsOf(command) : [];
  const target = place.kind === 'value' ? place.option : place.argument;
  if (target?.argChoices !== undefined) return target.argChoices.map((value) => ({ value }));
  const kinds = target === undefined ? [] : (kindsByName[nameOf(target)] ?? []);
  const found = await Promise.all(kinds.map((kind) => valuesOf(kind, given, typed)));
  return [...commands, ...found.flat()];
}

async function valuesOf(
  kind: Kind,
  given: Stand['given'],
  { start, env }: Typed,
): Promise<readonly Suggestion[]> {
  if (kind === 'files' || kind === 'folders') return pathsFrom(start, kind === 'folders');
  const { idsOf } = await import('./ids-of.ts');
  return idsOf(kind, given, env);
}

/** The name in the usage; of an option that is named after what it takes, its own. */
function nameOf(target: Argument | Option): string {
  if (!('flags' in target)) return target.name();
  const own = target.attributeName();
  return own in kindsByName ? own : (/[<[](\w+)/.exec(target.flags)?.[1] ?? '');
}

function optionsOf(command: Command): readonly Suggestion[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', about: description }));
}

function commandsOf(command: Command): readonly Suggestion[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), about: one.description() }));
}
