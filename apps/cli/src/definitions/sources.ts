import type { Host } from '@workflowlookup/host';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import type { SourceFlags } from '../commands/options.ts';
import { isFolder } from '../files.ts';
import { sourceMessages } from '../messages/definitions.ts';
import { withDefinitions } from '../open-host.ts';
import { counted, plainLine } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Prints where definitions come from, lowest precedence first. */
export async function sources(context: CommandContext, flags: SourceFlags): Promise<ExitCode> {
  const { answer, terminal } = context;
  const views = await withDefinitions(context, flags, viewSources);
  const isBroken = views.some(({ problems }) => problems.some(({ severity }) => severity === 'error'));
  const isHeld = views.some(({ untrusted }) => untrusted > 0);
  return answer(
    { sources: views },
    () => views.map((view) => sourceText(view, terminal)).join('\n\n'),
    !isBroken && !isHeld,
  );
}

type SourceReport = Awaited<ReturnType<Host['definitions']['sources']>>[number];

/** A source as it is printed. */
type SourceView = Awaited<ReturnType<typeof viewSources>>[number];

async function viewSources({ sources: places, definitions }: Host) {
  const reports = await definitions.sources();
  return reports.map((report, at) => {
    const { directory = '' } = places[at] ?? {};
    const { name, count, ids, overridden, files, problems, untrusted } = report;
    // The source with the highest precedence comes first.
    const above = reports.slice(at + 1).toReversed();
    return {
      name,
      directory,
      isFound: isFolder(directory),
      /** The number of workflows, including overridden ones. */
      count,
      served: ids.map((id) => placed(id, files)),
      /** The number of definitions that no person has trusted, or for which nobody agreed that they replace others. */
      untrusted: untrusted.length,
      untrustedIds: untrusted.flatMap(({ id }) => (id === undefined ? [] : [id])),
      overridden: overridden
        .filter((id) => !untrusted.some((one) => one.id === id))
        .map((id) => ({ ...placed(id, files), by: winnerOf(id, above) })),
      problems: problems.map(({ id, file, severity, issues }) => ({
        id,
        file,
        severity,
        message: issues[0]?.message ?? sourceMessages.unusable,
      })),
    };
  });
}

function placed(id: string, files: SourceReport['files']) {
  return { id, file: files.get(id) };
}

/** Returns the source that provides an id instead. If its file is broken, the id is not served. */
function winnerOf(id: string, above: readonly SourceReport[]) {
  for (const { name: source, files, problems } of above) {
    const file = files.get(id);
    if (file !== undefined) return { source, file, isBroken: false };
    const broken = problems.find((problem) => problem.id === id && problem.severity === 'error');
    if (broken !== undefined) return { source, file: broken.file, isBroken: true };
  }
  return { source: '', file: undefined, isBroken: false };
}

/** Formats a source for people: its directory, content, overridden files and problems. */
function sourceText(source: SourceView, { paint }: Terminal): string {
  const { name, directory, isFound, count, overridden, problems, untrusted } = source;
  const has = isFound ? counted(count, 'workflow') : sourceMessages.absent;
  return [
    `${paint('bold', name)}  ${plainLine(directory)}  ${paint(isFound ? 'green' : 'dim', has)}`,
    ...source.served.map(({ id, file = '' }) => `  ${plainLine(id)}  ${paint('dim', plainLine(file))}`),
    ...overridden.map((shadowed) => `  ${paint('yellow', shadowText(shadowed))}`),
    ...(untrusted === 0
      ? []
      : [`  ${paint('yellow', sourceMessages.untrusted(untrusted, source.untrustedIds))}`]),
    ...problems.map(
      ({ file, severity, message }) =>
        `  ${paint(severity === 'error' ? 'red' : 'yellow', severity)} ${plainLine(file)}: ${plainLine(message)}`,
    ),
  ].join('\n');
}

function shadowText({ id, file = '', by }: SourceView['overridden'][number]): string {
  const winner = `${by.source}: ${plainLine(by.file ?? '')}`;
  return sourceMessages.shadowed(plainLine(id), plainLine(file), by.isBroken, winner);
}
