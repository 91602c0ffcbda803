import type { CommandLine } from '../../command-line.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonFormat } from './json-format.ts';
import type { LintFlags, LintSubject } from './lint.ts';
import { takeReport } from './lint-report.ts';
import { printReport } from './print-report.ts';

/** Prints a report now and after every change that says something else, until the user has enough. */
export async function watch(
  { terminal }: CommandLine,
  { scopes, inspect }: LintSubject,
  flags: LintFlags,
): Promise<ExitCode> {
  const inspection = inspect({ isWatched: true });
  const changes = changesOf(inspection.watch);
  process.once('SIGINT', changes.end).once('SIGTERM', changes.end);
  let printed = '';
  do {
    const report = await takeReport(inspection, scopes);
    const found = JSON.stringify(jsonFormat(report, []));
    if (found !== printed) await printReport(terminal, { report, fixed: [], flags });
    printed = found;
  } while (await changes.next());
  process.off('SIGINT', changes.end).off('SIGTERM', changes.end);
  await inspection.close();
  return exitCodes.ok;
}

interface Changes {
  /** Waits for a change since the last call; false at the end. */
  next(): Promise<boolean>;
  readonly end: () => void;
}

function changesOf(subscribe: (listener: () => void) => () => void): Changes {
  let [isChanged, isOver] = [false, false];
  let wake = (): void => undefined;
  const stop = subscribe(() => {
    isChanged = true;
    wake();
  });
  return {
    async next() {
      // Nothing else keeps the process alive.
      const alive = setInterval(() => undefined, 60_000);
      if (!isChanged && !isOver) await new Promise<void>((resolve) => (wake = resolve));
      clearInterval(alive);
      isChanged = false;
      return !isOver;
    },
    end: () => {
      isOver = true;
      stop();
      wake();
    },
  };
}
