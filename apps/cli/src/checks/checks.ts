import { join } from 'node:path';
import type { ProjectChecks } from '@workflowlookup/evidence';
import {
  checksFile,
  checksText,
  commandText,
  proposeChecks,
  judgeRun,
  placesOf,
  readProjectChecks,
  runCheck,
} from '@workflowlookup/evidence';
import type { ChecksReview, Host } from '@workflowlookup/host';
import type { Check, Checks } from '@workflowlookup/schema';
import { WorkflowError, writeOutHidden } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import type { StateFlags } from '../commands/options.ts';
import { textOf, writeNewFiles } from '../files.ts';
import { checkMessages } from '../messages/checks.ts';
import { withState } from '../open-host.ts';
import { diffText } from '../terminal/excerpts.ts';
import { plainLine, plainLines } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { agrees, requireTerminal } from '../terminal/terminal.ts';

/** Writes a file with proposed checks. */
export async function initChecks({ answer }: CommandContext): Promise<ExitCode> {
  const folder = process.cwd();
  if ((await textOf(join(folder, checksFile))) !== undefined)
    throw new WorkflowError('CONFLICT', checkMessages.exists(checksFile));
  const proposed = proposeChecks(folder);
  await writeNewFiles(folder, new Map([[checksFile, checksText(proposed)]]));
  const checks = proposed.map(({ name, check: { run }, from }) => ({
    name,
    command: commandText(run),
    from,
  }));
  return answer({ file: checksFile, checks }, () =>
    [
      ...checks.map(({ name, command, from }) => `${name.padEnd(8)}  ${plainLine(command)}  (${from})`),
      ...(checks.length === 0 ? [checkMessages.noneFound] : []),
      checkMessages.written(checksFile, checks[0]?.name),
    ].join('\n'),
  );
}

export interface RunCheckFlags extends StateFlags {
  readonly accept?: boolean;
}

/** Runs a check in the working folder. The person who types the command decides, so it needs no trust. */
export async function runOne(context: CommandContext, name: string, flags: RunCheckFlags): Promise<ExitCode> {
  const { answer, env, terminal } = context;
  const isAccepting = flags.accept === true;
  const { accepted: acceptedText, needsTerminal, nothingToAccept, result } = checkMessages;
  // An agent must not be able to make fewer tests count.
  if (isAccepting)
    await requireTerminal(terminal, needsTerminal(`workflowlookup checks run ${plainLine(name)} --accept`));
  const check = await checkNamed(name);
  const found = await runCheck({ name, check, folder: process.cwd(), environment: env });
  const reasons = judgeRun(found, {}, undefined);
  const isPassed = reasons.length === 0;
  const { tests, output, ended: _ended, timeout: _timeout, reportProblems: _problems, ...shown } = found;
  const accepted = isAccepting && isPassed && tests !== undefined ? tests.run : undefined;
  if (accepted !== undefined) await accept(context, flags, { name, tests: accepted });
  return answer(
    { passed: isPassed, reasons, ...shown, tests, accepted },
    () =>
      [
        plainLines((output?.tail ?? '').trimEnd()),
        tests ? checkMessages.tests(tests.run, tests.failed, tests.skipped) : '',
        result(name, reasons.map(plainLine)),
        accepted === undefined ? '' : acceptedText(name, accepted),
        isAccepting && accepted === undefined ? nothingToAccept(name) : '',
      ]
        .filter((text) => text !== '')
        .join('\n'),
    isPassed && (!isAccepting || accepted !== undefined),
  );
}

async function accept(
  context: CommandContext,
  flags: StateFlags,
  { name, tests }: { readonly name: string; readonly tests: number },
): Promise<void> {
  await withState(context, flags, async ({ trust, state }) => {
    const places = await placesOf({
      folder: process.cwd(),
      stateFolder: state.directory,
      environment: context.env,
    });
    for (const place of places) trust.checks.acceptTests(place, name, tests);
  });
}

/** Returns the checks of the working folder, for review. @throws NOT_FOUND */
async function reviewHere({ checks }: Host): Promise<ChecksReview> {
  const review = await checks.review(process.cwd());
  if (review === undefined) throw noFile();
  return review;
}

function noFile(): WorkflowError {
  return new WorkflowError('NOT_FOUND', checkMessages.noFile(checksFile));
}

/** Returns the checks of a project by name. @throws INVALID_FILE */
function checksOf({ checks: found, problem = '' }: ProjectChecks): Checks['checks'] {
  if (found !== undefined) return found.checks;
  throw new WorkflowError('INVALID_FILE', checkMessages.invalid(checksFile, plainLine(problem)));
}

/** Returns a check of the working folder. @throws NOT_FOUND; INVALID_FILE */
async function checkNamed(name: string): Promise<Check> {
  const project = await readProjectChecks(process.cwd());
  if (project === undefined) throw noFile();
  const checks = checksOf(project);
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (check !== undefined) return check;
  throw new WorkflowError('NOT_FOUND', checkMessages.unknown(plainLine(name), Object.keys(checks)));
}

/** Lists the checks, and whether they are trusted. */
export async function listChecks(context: CommandContext, flags: StateFlags): Promise<ExitCode> {
  const { project, state: trust } = await withState(context, flags, reviewHere);
  const checks = Object.entries(checksOf(project)).map(([name, { run, timeout = '10m' }]) => ({
    name,
    command: commandText(run),
    timeout,
  }));
  const { statusTrusted, statusChanged, statusUntrusted } = checkMessages;
  const status = { trusted: statusTrusted, changed: statusChanged, untrusted: statusUntrusted }[trust];
  return context.answer(
    { file: checksFile, trust, checks },
    () =>
      [
        ...checks.map(
          ({ name, command, timeout }) => `${name.padEnd(10)}  ${plainLine(command)}  (${timeout})`,
        ),
        `${checksFile}: ${status}`,
      ].join('\n'),
    trust === 'trusted',
  );
}

/** Shows the checks, and trusts them if the person at the terminal agrees. */
export async function trustChecks(context: CommandContext, flags: StateFlags): Promise<ExitCode> {
  const { answer, terminal } = context;
  const { alreadyTrusted, declined, needsTerminal, question, trusted } = checkMessages;
  return withState(context, flags, async (host) => {
    const review = await reviewHere(host);
    const checks = checksOf(review.project);
    if (review.state === 'trusted') return answer({ trusted: checksFile }, () => alreadyTrusted(checksFile));
    await requireTerminal(terminal, needsTerminal('workflowlookup checks trust'));
    await terminal.warn(`${reviewText(review, checks, terminal)}\n`);
    if (!(await agrees(terminal, question))) return answer({ trusted: null }, () => declined, false);
    host.checks.accept(review, host.person);
    return answer({ trusted: checksFile }, () => trusted(checksFile));
  });
}

type Paint = Pick<Terminal, 'paint'>;

/** Formats what a person trusts: the commands, hidden characters, and each text with what has changed in it. */
function reviewText(
  { project: { path, texts }, before, hidden: found }: ChecksReview,
  checks: Checks['checks'],
  terminal: Paint,
): string {
  const { paint } = terminal;
  const hidden = found.map(({ file, line, name }) => `  ${visible(file)}:${line}: ${name}`);
  return [
    paint('bold', visible(path)),
    checkMessages.commands,
    ...Object.entries(checks).map(([name, { run }]) => `  ${visible(name)}: ${visible(commandText(run))}`),
    ...(hidden.length === 0 ? [] : [paint('red', checkMessages.hidden), ...hidden]),
    ...[...texts].flatMap(([name, text]) => [
      '',
      paint('bold', visible(name)),
      changeText(before?.get(name), text, terminal),
    ]),
    ...[...(before?.keys() ?? [])]
      .filter((name) => !texts.has(name))
      .map((name) => checkMessages.notIncluded(visible(name))),
  ].join('\n');
}

function changeText(before: string | undefined, text: string, terminal: Paint): string {
  if (before === text) return checkMessages.sameAsTrusted;
  if (before !== undefined) return diffText(before, writeOutHidden(text), terminal);
  return text
    .split('\n')
    .map((one) => `  ${visible(one)}`)
    .join('\n');
}

function visible(text: string): string {
  return plainLine(writeOutHidden(text));
}
