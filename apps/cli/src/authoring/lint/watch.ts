import type { CommandLine, ExitCode } from '../../command-line.ts';
import { exitCodes } from '../../command-line.ts';
import { jsonFormat, printReport } from './formats.ts';
import type { LintFlags, LintSubject } from './lint.ts';
import { createReport } from './report.ts';

/** Prints a report now, and again after every change that alters it, until the user interrupts. */
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
    const report = await createReport(inspection, scopes);
    const found = JSON.stringify(jsonFormat(report, []));
    if (found !== printed) await printReport(terminal, { report, fixed: [], flags });
    printed = found;
  } while (await changes.next());
  process.off('SIGINT', changes.end).off('SIGTERM', changes.end);
  await inspection.close();
  return exitCodes.ok;
}

interface Changes {
  /** Waits for a change since the last call; returns false when watching ends. */
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
      // The watcher alone does not keep the process alive.
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
