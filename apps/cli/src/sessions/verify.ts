import { existsSync } from 'node:fs';
import type { Anchors, ExportVerification, Verification } from '@workflowlookup/core/operator';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import { isDamage } from '../failure.ts';
import { messages } from '../messages.ts';
import { columns, plainLine } from '../terminal/plain-text.ts';
import type { CommandContext } from './context.ts';
import { everySid, linesOfFile, sessionOf } from './context.ts';

export interface VerifyOptions {
  readonly all?: boolean;
  /** A file that a server wrote with `--anchor`. */
  readonly anchor?: string;
}

export interface Verdict {
  readonly target: string;
  readonly ok: boolean;
  /** Whether the seals were checked with the keys of the servers. */
  readonly authenticated: boolean;
  /** The session; absent if it can't be read. */
  readonly sid?: string;
  readonly events?: number;
  /** The first event that was changed or is missing. */
  readonly brokenAt?: number;
  /** The first problem. */
  readonly problem?: string;
  readonly problems: readonly {
    readonly code: string;
    readonly revision?: number;
    readonly message: string;
  }[];
  readonly imported?: Verification['imported'];
  readonly sealed?: Verification['sealed'];
}

export async function verify(
  context: CommandContext,
  targets: readonly string[],
  { all = false, anchor }: VerifyOptions,
): Promise<ExitCode> {
  if (all === targets.length > 0) throw new WorkflowError('INVALID_INPUT', messages.sessions.nameToVerify);
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
  return answerVerdicts(context, verdicts, () => [
    verdictsText(verdicts),
    ...(verdicts.length === 0 ? [messages.sessions.nothingVerified(context.state.place)] : []),
    ...(verdicts.every(({ authenticated }) => authenticated) ? [] : [messages.sessions.unauthenticated]),
  ]);
}

/**
 * Prints verdicts and returns the exit code for all of them. Without any verdict, no seal was checked: the state
 * directory may be the wrong one, or someone may have emptied it.
 */
export async function answerVerdicts(
  { answer }: Pick<CommandContext, 'answer'>,
  verdicts: readonly Verdict[],
  text: () => readonly string[],
): Promise<ExitCode> {
  const ok = verdicts.every((one) => one.ok);
  const authenticated = verdicts.length > 0 && verdicts.every((one) => one.authenticated);
  await answer({ ok, authenticated, verdicts }, () => text().join('\n'));
  if (!ok) return exitCodes.findings;
  return authenticated ? exitCodes.ok : exitCodes.unchecked;
}

export function verdictsText(verdicts: readonly Verdict[]): string {
  const broken = verdicts.filter(({ ok }) => !ok).length;
  return (
    columns([...verdicts.map(cellsOf), []]).trimStart() +
    messages.sessions.verified(verdicts.length - broken, broken)
  );
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
      // The list comes from an index, and someone who can write to the database can remove a session from it.
      const { sids, problems } = await operator.survey();
      yield* notSeen(sids);
      const [first] = problems;
      if (first !== undefined)
        yield { ...nothing(state.place), problem: `${first.code}: ${first.message}`, problems };
    }
  } catch (error) {
    // A list that can't be read is itself a finding.
    if (!isDamage(error)) throw error;
    yield { ...nothing(state.place), problem: error.message };
  }
  yield* notSeen(anchors?.heads.keys() ?? []);
}

function nothing(target: string): Verdict {
  return { target, ok: false, authenticated: true, problems: [] };
}

/** Verifies an exported file, or a session that is named by its id or the beginning of it. */
export async function verifyTarget(
  context: CommandContext,
  target: string,
  anchors: Anchors | undefined,
): Promise<Verdict> {
  if (existsSync(target)) return verifyFile(context, target, anchors);
  // The id of a deleted session can't be completed, so it must be a full one.
  if (anchors?.heads.has(target) === true) return verifySession(context, target, anchors);
  try {
    return await verifySession(context, await sessionOf(context, target), anchors);
  } catch (error) {
    const isUnknown = error instanceof WorkflowError && error.code === 'NOT_FOUND';
    if (!isUnknown || !context.state.isMade()) throw error;
    return (await verifyHidden(context, target, anchors)) ?? Promise.reject(error);
  }
}

/**
 * Verifies a session that is in no list, because somebody who can write to the database can hide its row. Returns
 * `undefined` if the database knows no such session and nothing in it could hide one.
 */
async function verifyHidden(
  context: CommandContext,
  target: string,
  anchors: Anchors | undefined,
): Promise<Verdict | undefined> {
  const { sids, problems } = await context.operator.survey();
  const [sid, ...others] = sids.filter((one) => one.startsWith(target));
  if (sid !== undefined && (others.length === 0 || sid === target))
    return verifySession(context, sid, anchors);
  const [first] = problems;
  if (first === undefined) return undefined;
  return { ...nothing(target), problem: `${first.code}: ${first.message}`, problems };
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
    // This error means that the session can't be read under its id.
    const isUnknown = error instanceof WorkflowError && error.code === 'NOT_FOUND';
    if (!isUnknown && !isDamage(error)) throw error;
    return { ...nothing(sid), problem: error.message };
  }
}

function verdictOf({
  sid,
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
    sid,
    events,
    ...(brokenAt === undefined ? {} : { brokenAt }),
    ...(first === undefined ? {} : { problem: `${first.code}: ${first.message}` }),
    problems,
    ...(imported === undefined ? {} : { imported }),
  };
}

async function verifyFile(
  { operator, state }: CommandContext,
  file: string,
  anchors: Anchors | undefined,
): Promise<Verdict> {
  try {
    // Without stored sessions there are no keys, and verifying must not create them.
    const found = await operator.verifyExport(linesOfFile(file), {
      seals: state.isMade(),
      ...(anchors === undefined ? {} : { anchors }),
    });
    return { target: file, ...verdictOf(found) };
  } catch (error) {
    if (!(error instanceof WorkflowError) || error.code !== 'INVALID_FILE') throw error;
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

export interface SealOptions {
  readonly all?: boolean;
  readonly lostKey?: string;
}

/**
 * Seals sessions with the current key. Sessions without a seal, or with a seal of a lost key, need the confirmation
 * of a person at a terminal; the others don't.
 */
export async function seal(
  context: CommandContext,
  session: string | undefined,
  { all = false, lostKey }: SealOptions,
): Promise<ExitCode> {
  const { operator, state } = context;
  if (all === (session !== undefined)) throw new WorkflowError('INVALID_INPUT', messages.sessions.nameToSeal);
  const sids: string[] = [];
  if (session !== undefined) sids.push(await sessionOf(context, session));
  else if (state.isMade()) for await (const sid of everySid(operator)) sids.push(sid);
  const found: Verification[] = [];
  for (const sid of sids) found.push(await operator.verify(sid));
  await vouch(
    context,
    found.filter(({ problems }) => problems.length > 0),
  );
  const sealed: { readonly sid: string; readonly how: string; readonly problem?: string }[] = [];
  for (const sid of sids) {
    try {
      sealed.push(await operator.seal(sid, lostKey === undefined ? {} : { lostKey }));
    } catch (error) {
      if (!(error instanceof WorkflowError) || !all) throw error;
      sealed.push({ sid, how: 'refused', problem: error.message });
    }
  }
  const refused = sealed.filter(({ how }) => how === 'refused').length;
  await context.answer({ ok: refused === 0, sealed }, () =>
    [
      ...(sealed.length === 0 ? [] : [columns(sealed.map((one) => [one.how, one.sid, one.problem ?? '']))]),
      messages.sessions.sealed(sealed.length - refused, refused),
    ].join('\n'),
  );
  return refused === 0 ? exitCodes.ok : exitCodes.findings;
}

/** A person must confirm, and an agent must not be able to. So this asks at a terminal, whatever the flags say. */
async function vouch({ terminal }: CommandContext, doubtful: readonly Verification[]): Promise<void> {
  if (doubtful.length === 0) return;
  if (!terminal.isInteractive)
    throw new WorkflowError('INVALID_INPUT', messages.sessions.sealNeedsTerminal(doubtful.length));
  const rows = doubtful.map(({ sid, events, problems }) => [
    sid,
    `${events} events`,
    plainLine(problems[0]?.message ?? ''),
  ]);
  await terminal.print(`${columns(rows)}\n`);
  const asked = messages.sessions.sealQuestion(doubtful.length);
  if ((await terminal.ask(asked))?.trim() !== 'seal')
    throw new WorkflowError('CANCELLED', messages.sessions.sealDeclined);
}
