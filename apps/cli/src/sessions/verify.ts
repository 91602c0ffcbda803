import { existsSync } from 'node:fs';
import { readWholeExport } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { isDamage } from '../exit-code-of.ts';
import { linesOfFile } from './lines-of-file.ts';
import { plainLine } from '../plain-text.ts';
import { columns } from '../render/columns.ts';
import { sessionOf } from './session-of.ts';
import type { CommandContext } from './with-operator.ts';

/** What `verify` takes. */
export interface VerifyOptions {
  readonly all?: boolean;
}

/** What was found of a session or a file. */
interface Verdict {
  readonly target: string;
  readonly ok: boolean;
  readonly events?: number;
  /** The first event that is not what was sealed. */
  readonly brokenAt?: number;
  readonly problem?: string;
}

/** Checks the chains of sessions and exported files. */
export async function verify(
  context: CommandContext,
  targets: readonly string[],
  { all = false }: VerifyOptions,
): Promise<ExitCode> {
  if (all === targets.length > 0)
    throw new WorkflowError('INVALID_PARAMS', 'Name a session or a file to verify, or say --all.');
  const verdicts: Verdict[] = [];
  if (all) for await (const verdict of verifyAll(context)) verdicts.push(verdict);
  for (const target of targets) verdicts.push(await verifyTarget(context, target));
  const broken = verdicts.filter(({ ok }) => !ok).length;
  await context.answer(
    { ok: broken === 0, verdicts },
    () =>
      `${columns([...verdicts.map(cellsOf), []]).trimStart()}${verdicts.length - broken} whole, ${broken} broken.`,
  );
  return broken === 0 ? exitCodes.ok : exitCodes.findings;
}

async function* verifyAll(context: CommandContext): AsyncGenerator<Verdict, void> {
  const { operator, state } = context;
  if (!state.isMade()) return;
  let cursor: string | undefined;
  try {
    do {
      const page = await operator.find({}, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
      for (const { sid } of page.sessions) yield await verifySession(context, sid);
      cursor = page.next;
    } while (cursor !== undefined);
  } catch (error) {
    // A list that can't be read is itself what was looked for.
    if (!isDamage(error)) throw error;
    yield { target: state.place, ok: false, problem: error.message };
  }
}

async function verifyTarget(context: CommandContext, target: string): Promise<Verdict> {
  if (existsSync(target)) return verifyFile(target);
  return verifySession(context, await sessionOf(context, target));
}

async function verifySession({ operator }: CommandContext, sid: string): Promise<Verdict> {
  try {
    const verdict = await operator.verify(sid);
    if (verdict.ok) return { target: sid, ok: true, events: verdict.events };
    const { brokenAt } = verdict;
    return { target: sid, ok: false, brokenAt, problem: `event ${brokenAt} is not what was sealed` };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { target: sid, ok: false, problem: error.message };
  }
}

async function verifyFile(file: string): Promise<Verdict> {
  try {
    const { events } = await readWholeExport(linesOfFile(file));
    return { target: file, ok: true, events: events.length };
  } catch (error) {
    if (!(error instanceof WorkflowError) || error.code !== 'VALIDATION') throw error;
    const { revision } = error.data;
    return {
      target: file,
      ok: false,
      ...(typeof revision === 'number' ? { brokenAt: revision } : {}),
      problem: error.message,
    };
  }
}

function cellsOf({ target, ok, events, problem }: Verdict): readonly string[] {
  return [ok ? 'whole' : 'broken', plainLine(target), ok ? `${events} events` : plainLine(problem ?? '')];
}
