import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { attestCheck, readSigningKey } from '@workflowlookup/evidence';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { CommonOptions } from '../commands/options.ts';
import { replaceFile } from '../files.ts';
import { messages } from '../messages.ts';
import { askServer } from '../server/remote.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { createOutput } from '../terminal/terminal.ts';

export interface AttestFlags extends CommonOptions {
  readonly check: string;
  /** The file with the private key. */
  readonly key: string;
  readonly session?: string;
  readonly url?: string;
  readonly out?: string;
  readonly server?: string;
}

/** Runs a check, and signs a statement about the result for the commit that is checked out. */
export async function attest(line: CommandLine, flags: AttestFlags): Promise<ExitCode> {
  const { check, session, url, out, server } = flags;
  const { answer, asJson, terminal } = createOutput(line.terminal, flags.json === true);
  if (server !== undefined && session === undefined)
    throw new WorkflowError('INVALID_INPUT', messages.checks.serverNeedsSession);
  const key = await readSigningKey(flags.key);
  const { envelope, commit, reasons } = await inNewFolder((stateFolder) =>
    attestCheck({
      folder: process.cwd(),
      stateFolder,
      environment: line.env,
      check,
      key,
      ...(session !== undefined && { session }),
      ...(url !== undefined && { url }),
    }),
  );
  const passed = reasons.length === 0;
  if (out !== undefined) await replaceFile(resolve(out), `${JSON.stringify(envelope)}\n`);
  if (server !== undefined && session !== undefined)
    await askServer(line, { server, session, route: 'statements', body: envelope });
  if (!asJson)
    await terminal.warn(
      `${passed ? messages.checks.passed(check) : messages.checks.failed(check, plainLine(reasons.join(', ')))}\n`,
    );
  if (asJson || out === undefined)
    await answer(asJson ? { check, commit, passed, reasons, statement: envelope } : {}, () =>
      JSON.stringify(envelope),
    );
  return passed ? exitCodes.ok : exitCodes.findings;
}

/** Runs with a temporary folder: CI has no state that a later run could use. */
async function inNewFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'workflowlookup-attest-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
