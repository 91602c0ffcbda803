import { checksFile, commandText } from '@workflowlookup/evidence';
import type { ProjectChecks } from '@workflowlookup/evidence';
import type { Host } from '@workflowlookup/host';
import { WorkflowError, hiddenPlaces, writeOutHidden } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { StateFlags } from '../commands/options.ts';
import { messages } from '../messages.ts';
import { withState } from '../open-host.ts';
import { diffText } from '../terminal/diff-text.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createOutput } from '../terminal/terminal.ts';
import { existingChecks } from './run.ts';

/** Lists the checks, and whether they are trusted. */
export async function listChecks(line: CommandLine, flags: StateFlags): Promise<ExitCode> {
  const { answer } = createOutput(line.terminal, flags.json === true);
  const project = await existingChecks();
  const entry = await withState(line, flags, ({ trust }) => trust.checks.entry(project.path));
  const isTrusted = entry?.digest === project.digest;
  const trust = isTrusted ? 'trusted' : entry === undefined ? 'untrusted' : 'changed';
  const checks = Object.entries(project.checks.checks).map(([name, { run, timeout = '10m' }]) => ({
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
  return isTrusted ? exitCodes.ok : exitCodes.findings;
}

function trustText(trust: 'trusted' | 'untrusted' | 'changed'): string {
  const { statusTrusted, statusChanged, statusUntrusted } = messages.checks;
  return { trusted: statusTrusted, changed: statusChanged, untrusted: statusUntrusted }[trust];
}

/** Shows the checks, and trusts them if the person at the terminal agrees. */
export async function trustChecks(line: CommandLine, flags: StateFlags): Promise<ExitCode> {
  const { terminal } = line;
  const { answer } = createOutput(terminal, flags.json === true);
  const project = await existingChecks();
  return withState(line, flags, async (host) => {
    const entry = await host.trust.checks.entry(project.path);
    if (entry?.digest === project.digest) {
      await answer({ trusted: checksFile }, () => messages.checks.alreadyTrusted(checksFile));
      return exitCodes.ok;
    }
    // The text may be an agent's, and a pipe may lead to an agent.
    if (!terminal.isInteractive)
      throw new WorkflowError('HUMAN_REQUIRED', messages.checks.needsTerminal('workflowlookup checks trust'));
    await terminal.warn(`${reviewText(host, project, terminal)}\n`);
    if (!/^y(es)?$/i.test((await terminal.ask(messages.checks.question)) ?? '')) {
      await answer({ trusted: null }, () => messages.checks.declined);
      return exitCodes.findings;
    }
    host.trust.checks.trust(project, host.person);
    await answer({ trusted: checksFile }, () => messages.checks.trusted(checksFile));
    return exitCodes.ok;
  });
}

type Paint = Pick<Terminal, 'paint'>;

/** Formats what a person trusts: the commands, hidden characters, and each text with what has changed in it. */
function reviewText(
  { trust }: Host,
  { path, texts, checks }: ProjectChecks & Required<Pick<ProjectChecks, 'checks'>>,
  terminal: Paint,
): string {
  const { paint } = terminal;
  const before = trust.checks.lastTexts(path);
  const hidden = [...texts].flatMap(([name, text]) =>
    [...hiddenPlaces(text)].map((one) => `  ${shown(name)}: ${one.name}`),
  );
  return [
    paint('bold', shown(path)),
    'Commands:',
    ...Object.entries(checks.checks).map(([name, { run }]) => `  ${shown(name)}: ${shown(commandText(run))}`),
    ...(hidden.length === 0 ? [] : [paint('red', "Characters that can't be seen:"), ...hidden]),
    ...[...texts].flatMap(([name, text]) => [
      '',
      paint('bold', shown(name)),
      changeText(before?.get(name), text, terminal),
    ]),
    ...[...(before?.keys() ?? [])]
      .filter((name) => !texts.has(name))
      .map((name) => `No longer included: ${shown(name)}`),
  ].join('\n');
}

function changeText(before: string | undefined, text: string, terminal: Paint): string {
  if (before === text) return '  (as it was trusted before)';
  if (before !== undefined) return diffText(before, writeOutHidden(text), terminal);
  return text
    .split('\n')
    .map((one) => `  ${shown(one)}`)
    .join('\n');
}

function shown(text: string): string {
  return plainLine(writeOutHidden(text));
}
