import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { InspectedDirectory, Inspection, InspectionOptions } from '@workflowlookup/host';
import { bundledDirectory, openInspection, sourcesOf } from '@workflowlookup/host';
import { applyEdits, groupBy, WorkflowError } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import { exitCodes } from '../commands/command-line.ts';
import type { SourceFlags } from '../commands/options.ts';
import {
  findPlace,
  isActivityFolder,
  isWorkflowFile,
  nameOf,
  refuseLinks,
  replaceFile,
  workflowFolderOf,
} from '../files.ts';
import { optionMessages } from '../messages/common.ts';
import { definitionMessages } from '../messages/definitions.ts';
import { hostOptionsOf } from '../open-host.ts';
import type { LintFormat, LintFinding, LintReport } from './lint-report.ts';
import { jsonFormat, printReport, countFindings, createReport } from './lint-report.ts';

export interface LintFlags extends SourceFlags {
  readonly format?: LintFormat;
  readonly fix?: boolean;
  readonly watch?: boolean;
}

/** Like {@link lint}, but a warning fails too. */
export async function validate(
  context: CommandContext,
  paths: readonly string[],
  flags: LintFlags,
): Promise<ExitCode> {
  const report = await lintOnce(context, paths, flags);
  return report.findings.length > 0 ? exitCodes.findings : exitCodes.ok;
}

/** Reports the problems of definitions. With `--fix`, applies the safe fixes first. */
export async function lint(
  context: CommandContext,
  paths: readonly string[],
  flags: LintFlags,
): Promise<ExitCode> {
  if (flags.fix === true && flags.watch === true)
    throw new WorkflowError('INVALID_INPUT', optionMessages.fixAndWatch);
  if (flags.fix === true) for (const path of paths) await refuseLinks(path);
  if (flags.watch === true) return watch(context, await openSubject(context, paths, flags), flags);
  const report = await lintOnce(context, paths, flags);
  return countFindings(report).errors > 0 ? exitCodes.findings : exitCodes.ok;
}

/** Fixes definitions if asked, prints what is left, and returns it. */
async function lintOnce(
  context: CommandContext,
  paths: readonly string[],
  flags: LintFlags,
): Promise<LintReport> {
  const subject = await openSubject(context, paths, flags);
  const fixed = flags.fix === true ? await fixFiles(() => inspectAll(subject)) : [];
  const report = await inspectAll(subject);
  if (report.checked === 0 && paths.length > 0 && report.findings.length === 0)
    throw new WorkflowError('NOT_FOUND', definitionMessages.none(paths));
  await printReport(context, { report, fixed, flags });
  return report;
}

/** The definitions to lint, which can be inspected again after each change. */
interface LintSubject {
  readonly scopes: readonly LintScope[] | undefined;
  inspect(more?: Pick<InspectionOptions, 'isWatched'>): Inspection;
}

async function openSubject(
  context: CommandContext,
  paths: readonly string[],
  flags: LintFlags,
): Promise<LintSubject> {
  const options = await hostOptionsOf(context, flags);
  const sources = sourcesOf(options, bundledDirectory()).map(({ directory }) => directory);
  const scopes =
    paths.length === 0 ? undefined : await Promise.all(paths.map((path) => scopeOf(path, sources)));
  const places = scopes && { places: scopes.map(({ place }) => place) };
  return { scopes, inspect: (more) => openInspection({ ...options, ...places, ...more }) };
}

/** Inspects everything once. */
async function inspectAll({ scopes, inspect }: LintSubject): Promise<LintReport> {
  const inspection = inspect();
  try {
    return await createReport(inspection, scopes);
  } finally {
    await inspection.close();
  }
}

/** What a path on the command line selects. */
export interface LintScope {
  readonly place: InspectedDirectory;
  /** Absolute path of the only file to report on. */
  readonly file?: string;
  /** Ids of the only workflows to report on. */
  readonly workflows?: ReadonlySet<string>;
}

/**
 * Resolves a path to lint: a folder of definitions with its subfolders, the folder of one activity workflow, a single
 * definition, or a part of an activity workflow. `sources` are the directories that definitions are served from; a
 * `workflow.*` file directly in one of them is a definition like any other.
 *
 * @throws WorkflowError INVALID_INPUT for any other path
 */
export async function scopeOf(named: string, sources: readonly string[]): Promise<LintScope> {
  const { path, isDirectory } = await findPlace(named);
  if (isDirectory) {
    const isFlow = !sources.includes(path) && (await isActivityFolder(path));
    return { place: isFlow ? only(path) : { directory: path, depth: Number.MAX_SAFE_INTEGER } };
  }
  const flow = await workflowFolderOf(path);
  if (flow !== undefined) return { place: only(flow), file: path };
  const folder = dirname(path);
  if (!sources.includes(folder) && isWorkflowFile(basename(path))) return { place: only(folder) };
  if (/\.(?:json|ya?ml)$/.test(path)) return { place: only(path) };
  throw new WorkflowError('INVALID_INPUT', definitionMessages.notDefinition(named));
}

/** Selects one entry of a directory. */
function only(path: string): InspectedDirectory {
  return { directory: dirname(path), only: [basename(path)] };
}

export interface FixedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** A fix can reveal another problem, so definitions are inspected again, at most this often. */
const maxRounds = 25;

/** Applies the safe fixes. Each file is written as a whole or not at all. */
async function fixFiles(lookAgain: () => Promise<LintReport>): Promise<readonly FixedFile[]> {
  const changes = new Map<string, FixedFile>();
  for (let round = 0; round < maxRounds; round += 1) {
    let isDone = true;
    const fixable = (await lookAgain()).findings.filter(({ edits }) => edits !== undefined);
    for (const [path, findings] of groupBy(fixable, (finding) => finding.path)) {
      const before = await readFile(path, 'utf8');
      const after = edited(before, findings);
      if (after === before) continue;
      isDone = false;
      await replaceFile(path, after);
      changes.set(path, { file: nameOf(path), before, ...changes.get(path), after });
    }
    if (isDone) break;
  }
  return [...changes.values()];
}

/** Applies edits, whose offsets don't count a byte order mark. */
function edited(text: string, findings: readonly LintFinding[]): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const edits = findings.flatMap((finding) => finding.edits ?? []);
  return mark + applyEdits(text.slice(mark.length), edits);
}

/** Prints a report now, and again after every change that alters it, until the user interrupts. */
async function watch(
  context: CommandContext,
  { scopes, inspect }: LintSubject,
  flags: LintFlags,
): Promise<ExitCode> {
  const inspection = inspect({ isWatched: true });
  const events = new EventEmitter();
  const ended = new AbortController();
  const stop = inspection.watch(() => events.emit('change'));
  const end = (): void => ended.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  // The watcher alone does not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  let printed = '';
  let isChanged: Promise<boolean>;
  try {
    do {
      // Any number of changes while a report is made leads to one more report.
      isChanged = once(events, 'change', { signal: ended.signal }).then(
        () => true,
        () => false,
      );
      const report = await createReport(inspection, scopes);
      const found = JSON.stringify(jsonFormat(report, []));
      if (found !== printed) await printReport(context, { report, fixed: [], flags });
      printed = found;
    } while ((await isChanged) && !ended.signal.aborted);
  } finally {
    clearInterval(alive);
    process.off('SIGINT', end).off('SIGTERM', end);
    stop();
    await inspection.close();
  }
  return exitCodes.ok;
}
