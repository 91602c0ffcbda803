import type { EvidenceResult } from '@workflowlookup/core/sessions';
import type { Check, CheckEvidence } from '@workflowlookup/schema';
import { checkReasons, listed, reportMessages } from '../messages.ts';
import type { ReportedResults } from '../reports.ts';
import { deleteReports, readReports } from '../reports.ts';
import { commandEnvironment, runCommand } from './run-command.ts';
import type { CommandResult, RunningCommand } from './run-command.ts';

/** A check to run. */
export interface CheckRun {
  readonly name: string;
  readonly check: Check;
  readonly folder: string;
  /** The top folder of the repository: programs in it are not found by their name. Default `folder`. */
  readonly root?: string | undefined;
  /** The environment of the server. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  /** Called when the command has started. */
  onStart?(command: RunningCommand): void;
}

/** The findings of a run of a check, before they are judged. */
export type CheckFindings = Pick<
  EvidenceResult,
  'check' | 'command' | 'exitCode' | 'tests' | 'errors' | 'coverage' | 'durationMs' | 'output'
> & {
  readonly ended: CommandResult['ended'];
  readonly endedBy?: string;
  readonly timeout: string;
  readonly reportProblems: ReportedResults['problems'];
};

/** Returns the findings that a result shows. */
export function shownFindings({
  ended: _ended,
  endedBy: _endedBy,
  timeout: _timeout,
  reportProblems: _problems,
  ...shown
}: CheckFindings): Pick<EvidenceResult, keyof CheckFindings & keyof EvidenceResult> {
  return shown;
}

const defaultTimeout = '10m';

/** Runs a check and reads its reports. */
export async function runCheck(request: CheckRun): Promise<CheckFindings> {
  const { name, check, folder, root = folder, environment, signal, onStart } = request;
  const { run, timeout = defaultTimeout, reports = [], env } = check;
  const left = await deleteReports(folder, reports);
  const command = runCommand({
    command: run,
    folder,
    environment: commandEnvironment(environment, {
      folder: root,
      ...(env === undefined ? {} : { allowed: env }),
    }),
    timeoutMs: millisecondsOf(timeout),
    ...(signal === undefined ? {} : { signal }),
  });
  await command.started;
  onStart?.(command);
  const { ended, exitCode, endedBy, durationMs, output } = await command.result;
  const { problems, ...counts } = await readReports(folder, reports);
  return {
    check: name,
    command: commandText(run),
    ended,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(endedBy === undefined ? {} : { endedBy }),
    ...counts,
    durationMs,
    output,
    timeout,
    reportProblems: [...left.map(reportMessages.left), ...problems],
  };
}

/** Reads `90s`, `10m` or `1h`. */
function millisecondsOf(time: string): number {
  const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
  return Number(time.slice(0, -1)) * (units[time.slice(-1)] ?? 1000);
}

/** A command as a person would type it. */
export function commandText(run: Check['run']): string {
  if (typeof run === 'string') return run;
  return run
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

/** The requirements of a step for a check. */
export type CheckDemands = Pick<CheckEvidence, 'coverage' | 'max_failures' | 'min' | 'tests'>;

/** How many tests ran when a check was last accepted, and the command with which a person accepts fewer. */
export interface TestsBefore {
  readonly run: number;
  readonly acceptWith: string;
}

/** Returns why a run does not meet what a step asks for; nothing if it does. */
export function judgeRun(
  found: CheckFindings,
  demands: CheckDemands,
  before: TestsBefore | undefined,
): readonly string[] {
  return [...judgeEnd(found, demands), ...judgeTests(found, demands, before), ...judgeOthers(found, demands)];
}

function judgeEnd(found: CheckFindings, { max_failures: allowed = 0 }: CheckDemands): readonly string[] {
  const { ended, endedBy, exitCode = 0, timeout, tests, errors } = found;
  if (ended === 'timeout') return [checkReasons.timeout(timeout)];
  if (ended === 'cancelled') return [checkReasons.cancelled()];
  if (ended === 'too-much-output') return [checkReasons.tooMuchOutput()];
  if (ended === 'not-started') return [checkReasons.notStarted()];
  if (endedBy !== undefined) return [checkReasons.endedBy(endedBy)];
  // A command also fails because of the failures that are allowed.
  const counted = (tests?.failed ?? 0) + (errors ?? 0);
  const isAllowed = allowed > 0 && counted > 0 && counted <= allowed;
  return exitCode === 0 || isAllowed ? [] : [checkReasons.exitCode(exitCode)];
}

function judgeTests(
  { tests }: CheckFindings,
  { tests: rule, min, max_failures: allowed = 0 }: CheckDemands,
  before: TestsBefore | undefined,
): readonly string[] {
  // A check that never counted its tests has no earlier count to compare with.
  const isCompared = rule !== undefined && before !== undefined;
  if (tests === undefined) return isCompared || min !== undefined ? [checkReasons.noCounts()] : [];
  const { run, failed, failures } = tests;
  return [
    ...(failed > allowed ? [checkReasons.failures(failed, run, failures)] : []),
    ...(run === 0 && min === undefined ? [checkReasons.noTests()] : []),
    ...(min !== undefined && run < min ? [checkReasons.tooFewTests(run, min)] : []),
    ...(rule !== undefined && before !== undefined && run < before.run
      ? [checkReasons.fewerTests(run, before.run, before.acceptWith)]
      : []),
  ];
}

function judgeOthers(
  { errors = 0, coverage: found, reportProblems }: CheckFindings,
  { max_failures: allowed = 0, coverage }: CheckDemands,
): readonly string[] {
  const least = coverage?.min;
  return [
    ...(errors > allowed ? [checkReasons.errors(errors, allowed)] : []),
    ...(least !== undefined && found === undefined ? [checkReasons.noCoverage()] : []),
    ...(least !== undefined && found !== undefined && found < least
      ? [checkReasons.lowCoverage(found, least)]
      : []),
    ...listed(reportProblems),
  ];
}
