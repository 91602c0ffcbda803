import { existsSync } from 'node:fs';
import type { Anchors, ExportVerification, Verification } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { isDamage } from '../exit-code-of.ts';
import { linesOfFile } from './lines-of-file.ts';
import { plainLine } from '../plain-text.ts';
import { columns } from '../render/columns.ts';
import { everySid } from './every-sid.ts';
import { sessionOf } from './session-of.ts';
import type { CommandContext } from './with-operator.ts';

/** What `verify` takes. */
export interface VerifyOptions {
  readonly all?: boolean;
  /** A file that a server wrote with `--anchor`. */
  readonly anchor?: string;
}

/** What was found of a session or a file. */
interface Verdict {
  readonly target: string;
  readonly ok: boolean;
  /** Whether the seals were checked with the keys of the servers. */
  readonly authenticated: boolean;
  readonly events?: number;
  /** The first event that was changed or is missing. */
  readonly brokenAt?: number;
  /** The first problem. */
  readonly problem?: string;
  readonly problems: readonly Pick<Verification['problems'][number], 'code' | 'revision' | 'message'>[];
  readonly imported?: Verification['imported'];
  readonly sealed?: Verification['sealed'];
}

/** Checks everything that is kept of sessions, and exported files. */
export async function verify(
  context: CommandContext,
  targets: readonly string[],
  { all = false, anchor }: VerifyOptions,
): Promise<ExitCode> {
  if (all === targets.length > 0)
    throw new WorkflowError('INVALID_PARAMS', 'Name a session or a file to verify, or say --all.');
  const anchors = anchor === undefined ? undefined : await context.operator.anchors(linesOfFile(anchor));
  const verdicts: Verdict[] = [];
  if (all) for await (const verdict of verifyAll(context, anchors)) verdicts.push(verdict);
  for (const target of targets) verdicts.push(await verifyTarget(context, target, anchors));
  for (const { code, message } of anchors?.problems ?? [])
    verdicts.push({
      target: anchor ?? '',
      ok: false,
      authenticated: true,
      problem: message,
      problems: [{ code, message }],
    });
  const broken = verdicts.filter(({ ok }) => !ok).length;
  const authenticated = verdicts.every((one) => one.authenticated);
  await context.answer({ ok: broken === 0, authenticated, verdicts }, () =>
    [
      columns([...verdicts.map(cellsOf), []]).trimStart() +
        `${verdicts.length - broken} whole, ${broken} broken.`,
      ...(authenticated
        ? []
        : [
            'Not authenticated: the keys of the servers are missing, or nothing was sealed with them. This finds accidental damage, but no changes by somebody who can write to the database.',
          ]),
    ].join('\n'),
  );
  if (broken > 0) return exitCodes.findings;
  return authenticated ? exitCodes.ok : exitCodes.unchecked;
}

async function* verifyAll(
  context: CommandContext,
  anchors: Anchors | undefined,
): AsyncGenerator<Verdict, void> {
  const { operator, state } = context;
  const seen = new Set<string>();
  async function* notSeen(sids: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Verdict, void> {
    for await (const sid of sids) {
      if (seen.has(sid)) continue;
      seen.add(sid);
      yield await verifySession(context, sid, anchors);
    }
  }
  try {
    if (state.isMade()) {
      yield* notSeen(everySid(operator));
      // The list comes from an index, from which somebody who can write to the database can take a session.
      const { sids, problems } = await operator.survey();
      yield* notSeen(sids);
      const [first] = problems;
      if (first !== undefined)
        yield { ...nothing(state.place), problem: `${first.code}: ${first.message}`, problems };
    }
  } catch (error) {
    // A list that can't be read is itself what was looked for.
    if (!isDamage(error)) throw error;
    yield { ...nothing(state.place), problem: error.message };
  }
  yield* notSeen(anchors?.heads.keys() ?? []);
}

function nothing(target: string): Verdict {
  return { target, ok: false, authenticated: true, problems: [] };
}

async function verifyTarget(
  context: CommandContext,
  target: string,
  anchors: Anchors | undefined,
): Promise<Verdict> {
  if (existsSync(target)) return verifyFile(context, target);
  // One that was deleted has no id to complete.
  const sid = anchors?.heads.has(target) === true ? target : await sessionOf(context, target);
  return verifySession(context, sid, anchors);
}

async function verifySession(
  { operator }: CommandContext,
  sid: string,
  anchors: Anchors | undefined,
): Promise<Verdict> {
  try {
    const found = await operator.verify(sid, anchors);
    const { sealed } = found;
    return {
      target: sid,
      ...verdictOf(found),
      ...(sealed === undefined ? {} : { sealed }),
    };
  } catch (error) {
    // Something names a session that can't be read under that id.
    const isUnknown = error instanceof WorkflowError && error.code === 'INVALID_PARAMS';
    if (!isUnknown && !isDamage(error)) throw error;
    return { ...nothing(sid), problem: error.message };
  }
}

function verdictOf({
  events,
  isAuthenticated: authenticated,
  problems: found,
  imported,
}: ExportVerification): Omit<Verdict, 'target'> {
  const problems = found.map(({ sid: _sid, ...problem }) => problem);
  const [first] = problems;
  const brokenAt = problems.find(({ code }) => code === 'BROKEN_CHAIN')?.revision;
  return {
    ok: first === undefined,
    authenticated,
    events,
    ...(brokenAt === undefined ? {} : { brokenAt }),
    ...(first === undefined ? {} : { problem: `${first.code}: ${first.message}` }),
    problems,
    ...(imported === undefined ? {} : { imported }),
  };
}

async function verifyFile({ operator, state }: CommandContext, file: string): Promise<Verdict> {
  try {
    // Where no sessions are kept there are no keys, and none are made for this.
    const found = await operator.verifyExport(linesOfFile(file), { seals: state.isMade() });
    return { target: file, ...verdictOf(found) };
  } catch (error) {
    if (!(error instanceof WorkflowError) || error.code !== 'VALIDATION') throw error;
    const { revision } = error.data;
    return {
      ...nothing(file),
      ...(typeof revision === 'number' ? { brokenAt: revision } : {}),
      problem: error.message,
    };
  }
}

function cellsOf({ target, ok, events, problem, problems, imported, sealed }: Verdict): readonly string[] {
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more: see --json)` : '';
  const marks = [
    ...(imported === undefined ? [] : [imported.isAuthentic ? 'imported' : 'imported, not authenticated']),
    ...(sealed === undefined ? [] : [`sealed by ${sealed.by}`]),
  ];
  const whole = [`${events ?? 0} events`, ...marks].join(', ');
  return [
    ok ? 'whole' : 'broken',
    plainLine(target),
    ok ? plainLine(whole) : plainLine((problem ?? '') + more),
  ];
}
