import { checksFile, judgeRun, placesOf, readProjectChecks, runCheck } from '@workflowlookup/evidence';
import type { ProjectChecks } from '@workflowlookup/evidence';
import { WorkflowError } from '@workflowlookup/schema';
import type { Check } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { StateFlags } from '../commands/options.ts';
import { messages } from '../messages.ts';
import { withState } from '../open-host.ts';
import { plainLine, plainLines } from '../terminal/plain-text.ts';
import { createOutput } from '../terminal/terminal.ts';

export interface RunCheckFlags extends StateFlags {
  readonly accept?: boolean;
}

/** Runs a check in the working folder. The person who types the command decides, so it needs no trust. */
export async function runOne(line: CommandLine, name: string, flags: RunCheckFlags): Promise<ExitCode> {
  const { terminal } = line;
  const { answer } = createOutput(terminal, flags.json === true);
  const isAccepting = flags.accept === true;
  // An agent must not be able to make fewer tests count.
  if (isAccepting && !terminal.isInteractive)
    throw new WorkflowError(
      'HUMAN_REQUIRED',
      messages.checks.needsTerminal(`workflowlookup checks run ${plainLine(name)} --accept`),
    );
  const check = checkNamed(await existingChecks(), name);
  const found = await runCheck({ name, check, folder: process.cwd(), environment: line.env });
  const reasons = judgeRun(found, {}, undefined);
  const isPassed = reasons.length === 0;
  const { tests, output, ended: _ended, timeout: _timeout, reportProblems: _problems, ...shown } = found;
  const accepted = isAccepting && isPassed && tests !== undefined ? tests.run : undefined;
  if (accepted !== undefined) await accept(line, flags, { name, tests: accepted });
  await answer(
    {
      passed: isPassed,
      reasons,
      ...shown,
      ...(tests && { tests }),
      ...(accepted !== undefined && { accepted }),
    },
    () =>
      [
        plainLines((output?.tail ?? '').trimEnd()),
        ...(tests === undefined
          ? []
          : [`${tests.run} tests ran, ${tests.failed} failed, ${tests.skipped} were skipped.`]),
        isPassed ? messages.checks.passed(name) : messages.checks.failed(name, plainLine(reasons.join(', '))),
        ...acceptedText(name, isAccepting, accepted),
      ]
        .filter((text) => text !== '')
        .join('\n'),
  );
  return isPassed && (!isAccepting || accepted !== undefined) ? exitCodes.ok : exitCodes.findings;
}

function acceptedText(name: string, isAccepting: boolean, accepted: number | undefined): readonly string[] {
  if (!isAccepting) return [];
  return [
    accepted === undefined ? messages.checks.nothingToAccept(name) : messages.checks.accepted(name, accepted),
  ];
}

async function accept(
  line: CommandLine,
  flags: StateFlags,
  { name, tests }: { readonly name: string; readonly tests: number },
): Promise<void> {
  await withState(line, flags, async ({ trust, state }) => {
    const places = await placesOf({
      folder: process.cwd(),
      stateFolder: state.directory,
      environment: line.env,
    });
    for (const place of places) trust.checks.acceptTests(place, name, tests);
  });
}

/** Returns the checks of the working folder. @throws NOT_FOUND; INVALID_FILE */
export async function existingChecks(): Promise<ProjectChecks & Required<Pick<ProjectChecks, 'checks'>>> {
  const found = await readProjectChecks(process.cwd());
  if (found === undefined) throw new WorkflowError('NOT_FOUND', messages.checks.noFile(checksFile));
  const { checks, problem = '' } = found;
  if (checks === undefined)
    throw new WorkflowError('INVALID_FILE', messages.checks.invalid(checksFile, plainLine(problem)));
  return { ...found, checks };
}

function checkNamed({ checks: { checks } }: Required<Pick<ProjectChecks, 'checks'>>, name: string): Check {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (check !== undefined) return check;
  throw new WorkflowError(
    'NOT_FOUND',
    messages.checks.unknown(plainLine(name), Object.keys(checks).join(', ')),
  );
}
