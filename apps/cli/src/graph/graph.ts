import { extname, resolve } from 'node:path';
import type { PaintedPicture, Picture } from '@workflowlookup/core';
import { foldPicture, graphOf } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import { nameOf } from '../authoring/name-of.ts';
import type { CommandLine } from '../command-line.ts';
import type { SourceFlags } from '../definitions/add-definition-command.ts';
import { withHost } from '../definitions/with-host.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import { plainLine } from '../plain-text.ts';
import { sessionOf } from '../sessions/session-of.ts';
import type { StateFlags } from '../state/add-state-command.ts';
import { withState } from '../state/with-state.ts';
import type { DrawnPicture } from './drawn-picture.ts';

/** What `graph` takes. */
export interface GraphFlags extends SourceFlags, StateFlags {
  readonly format?: 'mermaid' | 'svg';
  readonly steps?: boolean;
  readonly session?: string;
  readonly out?: string;
}

/** Draws a workflow as it is served, or the one a session runs on with what became of it. */
export async function graph(
  line: CommandLine,
  workflow: string | undefined,
  flags: GraphFlags,
): Promise<ExitCode> {
  const found = await findPicture(line, workflow, flags);
  const picture = flags.steps === true ? found : fold(found);
  const { answer, terminal } = createOutput(line.terminal, flags.json ?? false);
  const { out } = flags;
  if (out === undefined) {
    if (flags.json === true) await answer(picture, String);
    else await terminal.printExact(await draw(picture, flags));
    return exitCodes.ok;
  }
  const { replaceFile } = await import('../authoring/replace-file.ts');
  await replaceFile(resolve(out), await draw(picture, flags));
  await answer(picture, () => `Wrote ${plainLine(nameOf(resolve(out)))}.`);
  return exitCodes.ok;
}

async function findPicture(
  line: CommandLine,
  workflow: string | undefined,
  { session, ...flags }: GraphFlags,
): Promise<Picture | PaintedPicture> {
  if (session !== undefined) return paintedPicture(line, { session, workflow }, flags);
  if (workflow === undefined) {
    throw new WorkflowError(
      'INVALID_PARAMS',
      "Name a workflow, as 'workflowlookup list' lists them, or a --session.",
    );
  }
  return withHost(line, flags, async ({ engine }) => graphOf(await engine.get(workflow)));
}

function paintedPicture(
  line: CommandLine,
  named: { readonly session: string; readonly workflow: string | undefined },
  { state, database }: StateFlags,
): Promise<PaintedPicture> {
  const place = { ...(state !== undefined && { state }), ...(database !== undefined && { database }) };
  return withState(line, place, async (host) => {
    const picture = await host.operator.picture(await sessionOf(host, named.session));
    const { id } = picture.workflow;
    if (named.workflow === undefined || named.workflow === id) return picture;
    throw new WorkflowError(
      'INVALID_PARAMS',
      `Session '${named.session}' is one of '${id}', not of '${named.workflow}'.`,
    );
  });
}

function fold(picture: DrawnPicture): DrawnPicture {
  return foldPicture(picture);
}

async function draw(picture: DrawnPicture, { format, out = '' }: GraphFlags): Promise<string> {
  const asked = format ?? (extname(out).toLowerCase() === '.svg' ? 'svg' : 'mermaid');
  return asked === 'svg'
    ? (await import('./svg/svg-of.ts')).svgOf(picture)
    : (await import('./mermaid.ts')).mermaidOf(picture);
}
