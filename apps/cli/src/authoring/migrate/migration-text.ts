import { plainLine } from '../../plain-text.ts';
import { diffText } from '../../render/diff-text.ts';
import type { Terminal } from '../../terminal.ts';
import type { MigratedFile } from './migrate.ts';

/** What becomes of files, as people read it. */
export function migrationText(files: readonly MigratedFile[], terminal: Terminal): string {
  const open = files.filter(({ before, after, isWritten }) => before !== after && !isWritten).length;
  const hint =
    open === 0 ? [] : [`--write writes ${open === 1 ? 'the change' : 'the changes'} of ${counted(open)}.`];
  return [...files.map((file) => fileText(file, terminal)), ...hint].join('\n\n');
}

function fileText(migrated: MigratedFile, terminal: Terminal): string {
  const { file, before, after, changes, left, isWritten } = migrated;
  const { paint } = terminal;
  const isSame = before === after;
  const state = isSame ? 'is as it was' : isWritten ? 'was changed' : 'would be changed';
  return [
    `${paint('bold', plainLine(file))} ${state}`,
    ...changes.map((what) => `  ${plainLine(what)}`),
    ...(isSame || isWritten ? [] : [diffText(before, after, terminal)]),
    ...(left.length === 0 ? [] : [paint('yellow', '  Left to you:')]),
    ...left.map(
      ({ line, column, message, suggestion = '' }) =>
        `  ${line}:${column} ${plainLine(`${message.replace(/\.$/, '')}. ${suggestion}`.trim())}`,
    ),
  ].join('\n');
}

function counted(files: number): string {
  return files === 1 ? 'one file' : `${files} files`;
}
