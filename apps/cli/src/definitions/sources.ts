import { stat } from 'node:fs/promises';
import type { Host } from '@workflowlookup/host';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { sourceText } from './source-text.ts';

/** A file of one source that another one stands before. */
export interface Shadowed {
  readonly id: string;
  readonly file?: string;
  /** Who decides about the id; a broken file refuses it. */
  readonly by: { readonly source: string; readonly file?: string; readonly isBroken: boolean };
}

/** A directory that definitions come from, and what there is in it. */
export interface SourceView {
  readonly name: string;
  readonly directory: string;
  readonly isFound: boolean;
  /** How many workflows it has, overridden ones included. */
  readonly count: number;
  readonly served: readonly { readonly id: string; readonly file?: string }[];
  readonly overridden: readonly Shadowed[];
  /** How many of its definitions are not served because no person has trusted them, or agreed that they replace others. */
  readonly untrusted: number;
  /** Their ids, for the files that have one. */
  readonly untrustedIds: readonly string[];
  readonly problems: readonly {
    readonly id: string;
    readonly file: string;
    readonly severity: 'error' | 'warning';
    readonly message: string;
  }[];
}

/** Says where definitions come from; lowest precedence first. */
export async function sources(host: Host, { answer, terminal }: Output): Promise<ExitCode> {
  const views = await viewSources(host);
  await answer({ sources: views }, () => views.map((view) => sourceText(view, terminal)).join('\n\n'));
  const isBroken = views.some(({ problems }) => problems.some(({ severity }) => severity === 'error'));
  const isHeld = views.some(({ untrusted }) => untrusted > 0);
  return isBroken || isHeld ? exitCodes.findings : exitCodes.ok;
}

type SourceReport = Awaited<ReturnType<Host['definitions']['sources']>>[number];

async function viewSources({ sources: places, definitions }: Host): Promise<readonly SourceView[]> {
  const reports = await definitions.sources();
  return Promise.all(
    reports.map(async (report, at): Promise<SourceView> => {
      const { directory = '' } = places[at] ?? {};
      const above = reports.slice(at + 1).toReversed();
      return { ...viewOf(report, above), directory, isFound: await isDirectory(directory) };
    }),
  );
}

/** What a source brings; `above` are those that go before it, the highest first. */
function viewOf(
  { name, count, ids, overridden, files, problems, untrusted }: SourceReport,
  above: readonly SourceReport[],
): Omit<SourceView, 'directory' | 'isFound'> {
  return {
    name,
    count,
    served: ids.map((id) => placed(id, files)),
    untrusted: untrusted.length,
    untrustedIds: untrusted.flatMap(({ id }) => (id === undefined ? [] : [id])),
    overridden: overridden
      .filter((id) => !untrusted.some((one) => one.id === id))
      .map((id) => ({ ...placed(id, files), by: winnerOf(id, above) })),
    problems: problems.map(({ id, file, severity, issues }) => ({
      id,
      file,
      severity,
      message: issues[0]?.message ?? "It can't be used",
    })),
  };
}

function placed(id: string, files: SourceReport['files']): { readonly id: string; readonly file?: string } {
  const file = files.get(id);
  return { id, ...(file !== undefined && { file }) };
}

function winnerOf(id: string, above: readonly SourceReport[]): Shadowed['by'] {
  for (const { name: source, files, problems } of above) {
    const file = files.get(id);
    if (file !== undefined) return { source, file, isBroken: false };
    const broken = problems.find((problem) => problem.id === id && problem.severity === 'error');
    if (broken !== undefined) return { source, file: broken.file, isBroken: true };
  }
  return { source: '', isBroken: false };
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
