import type { Inspection, InspectionOptions } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine } from '../../command-line.ts';
import type { SourceFlags } from '../../definitions/add-definition-command.ts';
import { hostOptionsOf } from '../../definitions/host-options.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { exitCodes } from '../../exit-codes.ts';
import { refuseLinks } from '../../write-files.ts';
import type { LintReport } from './lint-report.ts';
import { countFindings, takeReport } from './lint-report.ts';
import type { LintScope } from './lint-scope.ts';
import { scopeOf } from './lint-scope.ts';
import type { LintFormat } from './print-report.ts';
import { printReport } from './print-report.ts';

/** What `lint` and `validate` take. */
export interface LintFlags extends SourceFlags {
  readonly format?: LintFormat;
  readonly fix?: boolean;
  readonly watch?: boolean;
}

/** What is linted, and how strictly. */
export interface LintRequest {
  readonly paths: readonly string[];
  readonly flags: LintFlags;
  /** Whether a warning fails too. */
  readonly isStrict: boolean;
}

/** Says what is wrong with definitions; with `--fix` after putting right what is safe. */
export async function lint(line: CommandLine, request: LintRequest): Promise<ExitCode> {
  const { flags, paths } = request;
  if (flags.fix === true && flags.watch === true) {
    throw new WorkflowError('INVALID_PARAMS', '--fix and --watch do not go together: use one of them.');
  }
  if (flags.fix === true) for (const path of paths) await refuseLinks(path);
  const subject = await openSubject(line, request);
  if (flags.watch === true) return (await import('./watch.ts')).watch(line, subject, flags);
  const fixed =
    flags.fix === true ? await (await import('./fix-files.ts')).fixFiles(() => look(subject)) : [];
  const report = await look(subject);
  if (report.checked === 0 && paths.length > 0 && report.findings.length === 0) {
    throw new WorkflowError('INVALID_PARAMS', `No definitions in '${paths.join("', '")}'.`);
  }
  await printReport(line.terminal, { report, fixed, flags });
  return isFailed(report, request) ? exitCodes.findings : exitCodes.ok;
}

function isFailed(report: LintReport, { isStrict }: LintRequest): boolean {
  const { errors, warnings } = countFindings(report);
  return errors > 0 || (isStrict && warnings > 0);
}

/** What can be looked at again and again. */
export interface LintSubject {
  readonly scopes: readonly LintScope[] | undefined;
  inspect(more?: Pick<InspectionOptions, 'isWatched'>): Inspection;
}

async function openSubject(line: CommandLine, { paths, flags }: LintRequest): Promise<LintSubject> {
  const options = await hostOptionsOf(line, flags);
  const { bundledDirectory, openInspection, sourcesOf } = await import('@workflowlookup/host');
  const sources = sourcesOf(options, bundledDirectory()).map(({ directory }) => directory);
  const scopes =
    paths.length === 0 ? undefined : await Promise.all(paths.map((path) => scopeOf(path, sources)));
  const places = scopes && { places: scopes.map(({ place }) => place) };
  return { scopes, inspect: (more) => openInspection({ ...options, ...places, ...more }) };
}

/** Looks at everything once. */
async function look({ scopes, inspect }: LintSubject): Promise<LintReport> {
  const inspection = inspect();
  try {
    return await takeReport(inspection, scopes);
  } finally {
    await inspection.close();
  }
}
