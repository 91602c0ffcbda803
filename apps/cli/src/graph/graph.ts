import { basename, dirname, extname, resolve } from 'node:path';
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
  readonly force?: boolean;
}

/** Draws a workflow as it is served, or the one a session runs on with what became of it. */
export async function graph(
  line: CommandLine,
  workflow: string | undefined,
  flags: GraphFlags,
): Promise<ExitCode> {
  const format = formatOf(flags);
  const found = await findPicture(line, workflow, flags);
  const picture = flags.steps === true ? found : fold(found);
  const { answer, terminal } = createOutput(line.terminal, flags.json ?? false);
  const { out, force = false } = flags;
  if (out === undefined) {
    if (flags.json === true) await answer(picture, String);
    else await terminal.printExact(await draw(picture, format));
    return exitCodes.ok;
  }
  const { replaceFile, writeNewFiles } = await import('../write-files.ts');
  const text = await draw(picture, format);
  if (force) await replaceFile(resolve(out), text);
  else await writeNewFiles(dirname(resolve(out)), new Map([[basename(out), text]]));
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
  return withHost(line, flags, async ({ engine }) => graphOf(await engine.get(workflow)), {
    shows: workflow,
  });
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

type Format = NonNullable<GraphFlags['format']>;

const formats: Readonly<Record<string, Format>> = { '.svg': 'svg', '.mmd': 'mermaid', '.mermaid': 'mermaid' };

/** The format of the drawing: `--format`, or the ending of the file name. @throws WorkflowError INVALID_PARAMS */
function formatOf({ format, out }: GraphFlags): Format {
  if (format !== undefined || out === undefined) return format ?? 'mermaid';
  const found = formats[extname(out).toLowerCase()];
  if (found !== undefined) return found;
  throw new WorkflowError(
    'INVALID_PARAMS',
    `'${out}' ends with neither .svg nor .mmd. Name a file with one of these endings, or say what to write with --format.`,
  );
}

async function draw(picture: DrawnPicture, format: Format): Promise<string> {
  return format === 'svg'
    ? (await import('./svg/svg-of.ts')).svgOf(picture)
    : (await import('./mermaid.ts')).mermaidOf(picture);
}
