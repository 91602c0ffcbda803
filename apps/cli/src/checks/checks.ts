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
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { CommonOptions, StateFlags } from '../commands/options.ts';
import { textOf, writeNewFiles } from '../files.ts';
import { messages } from '../messages.ts';
import { withState } from '../open-host.ts';
import { diffText, plainLine, plainLines } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createOutput } from '../terminal/terminal.ts';

/** Writes a file with proposed checks. */
export async function initChecks(line: CommandLine, flags: CommonOptions): Promise<ExitCode> {
  const { answer } = createOutput(line.terminal, flags.json === true);
  const folder = process.cwd();
  if ((await textOf(join(folder, checksFile))) !== undefined)
    throw new WorkflowError('CONFLICT', messages.checks.exists(checksFile));
  const proposed = proposeChecks(folder);
  await writeNewFiles(folder, new Map([[checksFile, checksText(proposed)]]));
  const checks = proposed.map(({ name, check: { run }, from }) => ({
    name,
    command: commandText(run),
    from,
  }));
  await answer({ file: checksFile, checks }, () =>
    [
      ...checks.map(({ name, command, from }) => `${name.padEnd(8)}  ${plainLine(command)}  (${from})`),
      ...(checks.length === 0 ? [messages.checks.noneFound] : []),
      messages.checks.written(checksFile),
      ...(checks[0] === undefined ? [] : [`  workflowlookup checks run ${checks[0].name}`]),
      '  workflowlookup checks trust',
    ].join('\n'),
  );
  return exitCodes.ok;
}

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
  const check = await checkNamed(name);
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

/** Returns the checks of the working folder, for review. @throws NOT_FOUND */
async function reviewHere({ checks }: Host): Promise<ChecksReview> {
  const review = await checks.review(process.cwd());
  if (review === undefined) throw noFile();
  return review;
}

function noFile(): WorkflowError {
  return new WorkflowError('NOT_FOUND', messages.checks.noFile(checksFile));
}

/** Returns the checks of a project by name. @throws INVALID_FILE */
function checksOf({ checks: found, problem = '' }: ProjectChecks): Checks['checks'] {
  if (found !== undefined) return found.checks;
  throw new WorkflowError('INVALID_FILE', messages.checks.invalid(checksFile, plainLine(problem)));
}

/** Returns a check of the working folder. @throws NOT_FOUND; INVALID_FILE */
async function checkNamed(name: string): Promise<Check> {
  const project = await readProjectChecks(process.cwd());
  if (project === undefined) throw noFile();
  const checks = checksOf(project);
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (check !== undefined) return check;
  throw new WorkflowError(
    'NOT_FOUND',
    messages.checks.unknown(plainLine(name), Object.keys(checks).join(', ')),
  );
}

/** Lists the checks, and whether they are trusted. */
export async function listChecks(line: CommandLine, flags: StateFlags): Promise<ExitCode> {
  const { answer } = createOutput(line.terminal, flags.json === true);
  const { project, state: trust } = await withState(line, flags, reviewHere);
  const checks = Object.entries(checksOf(project)).map(([name, { run, timeout = '10m' }]) => ({
    name,
    command: commandText(run),
    timeout,
  }));
  await answer({ file: checksFile, trust, checks }, () =>
    [
      ...checks.map(
        ({ name, command, timeout }) => `${name.padEnd(10)}  ${plainLine(command)}  (${timeout})`,
      ),
      `${checksFile}: ${trustText(trust)}`,
    ].join('\n'),
  );
  return trust === 'trusted' ? exitCodes.ok : exitCodes.findings;
}

function trustText(trust: 'trusted' | 'untrusted' | 'changed'): string {
  const { statusTrusted, statusChanged, statusUntrusted } = messages.checks;
  return { trusted: statusTrusted, changed: statusChanged, untrusted: statusUntrusted }[trust];
}

/** Shows the checks, and trusts them if the person at the terminal agrees. */
export async function trustChecks(line: CommandLine, flags: StateFlags): Promise<ExitCode> {
  const { terminal } = line;
  const { answer } = createOutput(terminal, flags.json === true);
  return withState(line, flags, async (host) => {
    const review = await reviewHere(host);
    const checks = checksOf(review.project);
    if (review.state === 'trusted') {
      await answer({ trusted: checksFile }, () => messages.checks.alreadyTrusted(checksFile));
      return exitCodes.ok;
    }
    // An agent may have written the text, and a pipe may pass it to an agent.
    if (!terminal.isInteractive)
      throw new WorkflowError('HUMAN_REQUIRED', messages.checks.needsTerminal('workflowlookup checks trust'));
    await terminal.warn(`${reviewText(review, checks, terminal)}\n`);
    if (!/^y(es)?$/i.test((await terminal.ask(messages.checks.question)) ?? '')) {
      await answer({ trusted: null }, () => messages.checks.declined);
      return exitCodes.findings;
    }
    host.checks.accept(review, host.person);
    await answer({ trusted: checksFile }, () => messages.checks.trusted(checksFile));
    return exitCodes.ok;
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
    'Commands:',
    ...Object.entries(checks).map(([name, { run }]) => `  ${visible(name)}: ${visible(commandText(run))}`),
    ...(hidden.length === 0 ? [] : [paint('red', "Characters that can't be seen:"), ...hidden]),
    ...[...texts].flatMap(([name, text]) => [
      '',
      paint('bold', visible(name)),
      changeText(before?.get(name), text, terminal),
    ]),
    ...[...(before?.keys() ?? [])]
      .filter((name) => !texts.has(name))
      .map((name) => `No longer included: ${visible(name)}`),
  ].join('\n');
}

function changeText(before: string | undefined, text: string, terminal: Paint): string {
  if (before === text) return '  (as it was trusted before)';
  if (before !== undefined) return diffText(before, writeOutHidden(text), terminal);
  return text
    .split('\n')
    .map((one) => `  ${visible(one)}`)
    .join('\n');
}

function visible(text: string): string {
  return plainLine(writeOutHidden(text));
}
