import { basename, dirname, extname, resolve } from 'node:path';
import type { SessionDiagram, Diagram } from '@workflowlookup/diagrams';
import { foldDiagram, drawWorkflow, drawSession } from '@workflowlookup/diagrams';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { SourceFlags, StateFlags } from '../commands/options.ts';
import { nameOf } from '../files.ts';
import { messages } from '../messages.ts';
import { withDefinitions, withState } from '../open-host.ts';
import { sessionOf } from '../sessions/context.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { createOutput } from '../terminal/terminal.ts';
import type { DrawnDiagram } from './drawn-diagram.ts';

export interface GraphFlags extends SourceFlags, StateFlags {
  readonly format?: 'mermaid' | 'svg';
  readonly steps?: boolean;
  readonly session?: string;
  readonly out?: string;
  readonly force?: boolean;
}

/** Draws a workflow, or the workflow of a session together with what the session did. */
export async function graph(
  line: CommandLine,
  workflow: string | undefined,
  flags: GraphFlags,
): Promise<ExitCode> {
  const format = formatOf(flags);
  const found = await findDiagram(line, workflow, flags);
  const picture = flags.steps === true ? found : fold(found);
  const { answer, terminal } = createOutput(line.terminal, flags.json ?? false);
  const { out, force = false } = flags;
  if (out === undefined) {
    if (flags.json === true) await answer(picture, String);
    else await terminal.printExact(await draw(picture, format));
    return exitCodes.ok;
  }
  const { replaceFile, writeNewFiles } = await import('../files.ts');
  const text = await draw(picture, format);
  if (force) await replaceFile(resolve(out), text);
  else await writeNewFiles(dirname(resolve(out)), new Map([[basename(out), text]]));
  await answer(picture, () => messages.files.wrote(plainLine(nameOf(resolve(out)))));
  return exitCodes.ok;
}

async function findDiagram(
  line: CommandLine,
  workflow: string | undefined,
  { session, ...flags }: GraphFlags,
): Promise<Diagram | SessionDiagram> {
  if (session !== undefined) return sessionDiagram(line, { session, workflow }, flags);
  if (workflow === undefined) {
    throw new WorkflowError('INVALID_INPUT', messages.definitions.nameToDraw);
  }
  return withDefinitions(line, flags, async ({ engine }) => drawWorkflow(await engine.get(workflow)), {
    shows: workflow,
  });
}

function sessionDiagram(
  line: CommandLine,
  named: { readonly session: string; readonly workflow: string | undefined },
  { state, database }: StateFlags,
): Promise<SessionDiagram> {
  const place = { ...(state !== undefined && { state }), ...(database !== undefined && { database }) };
  return withState(line, place, async (host) => {
    const sid = await sessionOf(host, named.session);
    const [story, { workflow }] = await Promise.all([
      host.operator.history(sid),
      host.operator.contents(sid),
    ]);
    const picture = drawSession(drawWorkflow(workflow), story);
    const { id } = picture.workflow;
    if (named.workflow === undefined || named.workflow === id) return picture;
    throw new WorkflowError(
      'INVALID_INPUT',
      messages.definitions.otherWorkflow(named.session, id, named.workflow),
    );
  });
}

function fold(picture: DrawnDiagram): DrawnDiagram {
  return foldDiagram(picture);
}

type Format = NonNullable<GraphFlags['format']>;

const formats: Readonly<Record<string, Format>> = { '.svg': 'svg', '.mmd': 'mermaid', '.mermaid': 'mermaid' };

/**
 * Returns the format of the drawing, from `--format` or the extension of the file.
 *
 * @throws WorkflowError INVALID_INPUT
 */
function formatOf({ format, out }: GraphFlags): Format {
  if (format !== undefined || out === undefined) return format ?? 'mermaid';
  const found = formats[extname(out).toLowerCase()];
  if (found !== undefined) return found;
  throw new WorkflowError('INVALID_INPUT', messages.options.drawingFormat(out));
}

async function draw(picture: DrawnDiagram, format: Format): Promise<string> {
  return format === 'svg'
    ? (await import('./svg.ts')).svgOf(picture)
    : (await import('./mermaid.ts')).mermaidOf(picture);
}
