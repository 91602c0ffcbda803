import { existsSync } from 'node:fs';
import type { Anchors, ExportVerification, Verification } from '@workflowlookup/core/operator';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../commands/command-line.ts';
import { defined, exitCodes } from '../commands/command-line.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { columns } from '../terminal/plain-text.ts';
import type { SessionsContext } from './context.ts';
import { everySid, linesOfFile, sessionOf } from './context.ts';
import type { StatementOptions } from './statement.ts';

export interface VerifyOptions extends StatementOptions {
  readonly all?: boolean;
  /** A file that a server wrote with `--anchor`. */
  readonly anchor?: string;
}

/** The sessions, and what was anchored of them. */
interface AnchoredContext extends SessionsContext {
  readonly anchors?: Anchors;
}

export interface Problem {
  readonly code: string;
  readonly revision?: number;
  readonly message: string;
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
  readonly brokenAt?: number | undefined;
  /** The first problem. */
  readonly problem?: string;
  readonly problems: readonly Problem[];
  readonly imported?: Verification['imported'] | undefined;
  readonly sealed?: Verification['sealed'] | undefined;
}

/** Returns the verdict on a target with these problems. */
export function verdictOn(
  target: string,
  problems: readonly Problem[],
  more: Partial<Verdict> = {},
): Verdict {
  const [first] = problems;
  return {
    authenticated: true,
    ...more,
    target,
    ok: first === undefined,
    ...(first === undefined ? {} : { problem: `${first.code}: ${first.message}` }),
    problems,
  };
}

/** Returns the verdict on a target that can't be read. */
export function unreadable(target: string, problem: string, problems: readonly Problem[] = []): Verdict {
  return { target, ok: false, authenticated: true, problem, problems };
}

export async function verify(
  context: SessionsContext,
  targets: readonly string[],
  options: VerifyOptions,
): Promise<ExitCode> {
  const { all = false, anchor, statement } = options;
  if (statement !== undefined)
    return (await import('./statement.ts')).verifyStatement(context, targets, { ...options, statement });
  if (all === targets.length > 0) throw new WorkflowError('INVALID_INPUT', sessionMessages.nameToVerify);
  const anchors = anchor === undefined ? undefined : await context.operator.anchors(linesOfFile(anchor));
  const anchored: AnchoredContext = { ...context, ...defined({ anchors }) };
  const verdicts: Verdict[] = [];
  if (all) for await (const verdict of verifyAll(anchored)) verdicts.push(verdict);
  for (const target of targets) verdicts.push(await verifyTarget(anchored, target));
  for (const { code, message } of anchors?.problems ?? [])
    verdicts.push(unreadable(anchor ?? '', message, [{ code, message }]));
  return answerVerdicts(context, verdicts, () => [
    verdictsText(verdicts),
    ...(verdicts.length === 0
      ? [sessionMessages.nothingVerified(context.state.place, anchor !== undefined)]
      : []),
    ...(verdicts.every(({ authenticated }) => authenticated) ? [] : [sessionMessages.unauthenticated]),
  ]);
}

/**
 * Prints verdicts and returns the exit code for all of them. Without any verdict, no seal was checked: the state
 * directory may be the wrong one, or someone may have emptied it.
 */
export async function answerVerdicts(
  { answer }: Pick<SessionsContext, 'answer'>,
  verdicts: readonly Verdict[],
  text: () => readonly string[],
): Promise<ExitCode> {
  const ok = verdicts.every((one) => one.ok);
  const authenticated = verdicts.length > 0 && verdicts.every((one) => one.authenticated);
  const code = await answer({ ok, authenticated, verdicts }, () => text().join('\n'), ok);
  return ok && !authenticated ? exitCodes.unchecked : code;
}

export function verdictsText(verdicts: readonly Verdict[]): string {
  const broken = verdicts.filter(({ ok }) => !ok).length;
  return (
    columns([...verdicts.map(cellsOf), []]).trimStart() +
    sessionMessages.verified(verdicts.length - broken, broken)
  );
}

async function* verifyAll(context: AnchoredContext): AsyncGenerator<Verdict, void> {
  const { operator, state, anchors } = context;
  const seen = new Set<string>();
  async function* notSeen(sids: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Verdict, void> {
    for await (const sid of sids) {
      if (seen.has(sid)) continue;
      seen.add(sid);
      yield await verifySession(context, sid);
    }
  }
  try {
    if (state.isMade()) {
      yield* notSeen(everySid(operator));
      // The list comes from an index, and someone who can write to the database can remove a session from it.
      const { sids, problems } = await operator.survey();
      yield* notSeen(sids);
      if (problems.length > 0) yield verdictOn(state.place, problems);
    }
  } catch (error) {
    // A list that can't be read is itself a finding.
    if (!isDamage(error)) throw error;
    yield unreadable(state.place, error.message);
  }
  yield* notSeen(anchors?.heads.keys() ?? []);
}

/** Verifies an exported file, or a session that is named by its id or the beginning of it. */
export async function verifyTarget(context: AnchoredContext, target: string): Promise<Verdict> {
  if (existsSync(target)) return verifyFile(context, target);
  // The id of a deleted session can't be completed, so it must be a full one.
  if (context.anchors?.heads.has(target) === true) return verifySession(context, target);
  try {
    return await verifySession(context, await sessionOf(context, target));
  } catch (error) {
    const isUnknown = error instanceof WorkflowError && error.code === 'NOT_FOUND';
    if (!isUnknown || !context.state.isMade()) throw error;
    return (await verifyHidden(context, target)) ?? Promise.reject(error);
  }
}

/**
 * Verifies a session that is in no list, because somebody who can write to the database can hide its row. Returns
 * `undefined` if the database knows no such session and nothing in it could hide one.
 */
async function verifyHidden(context: AnchoredContext, target: string): Promise<Verdict | undefined> {
  const { sids, problems } = await context.operator.survey();
  const [sid, ...others] = sids.filter((one) => one.startsWith(target));
  if (sid !== undefined && (others.length === 0 || sid === target)) return verifySession(context, sid);
  return problems.length === 0 ? undefined : verdictOn(target, problems);
}

async function verifySession({ operator, anchors }: AnchoredContext, sid: string): Promise<Verdict> {
  try {
    const found = await operator.verify(sid, anchors);
    return { ...verdictOf(sid, found), sealed: found.sealed };
  } catch (error) {
    // This error means that the session can't be read under its id.
    const isUnknown = error instanceof WorkflowError && error.code === 'NOT_FOUND';
    if (!isUnknown && !isDamage(error)) throw error;
    return unreadable(sid, error.message);
  }
}

/** Returns whether an error says that stored data is damaged. */
function isDamage(error: unknown): error is WorkflowError {
  return error instanceof WorkflowError && error.code === 'STORE_DAMAGED';
}

function verdictOf(target: string, found: ExportVerification): Verdict {
  const { sid, events, isAuthenticated: authenticated, imported } = found;
  const problems = found.problems.map(({ sid: _sid, ...problem }) => problem);
  const brokenAt = problems.find(({ code }) => code === 'BROKEN_CHAIN')?.revision;
  return verdictOn(target, problems, { authenticated, sid, events, brokenAt, imported });
}

async function verifyFile({ operator, state, anchors }: AnchoredContext, file: string): Promise<Verdict> {
  try {
    // Without stored sessions there are no keys, and verifying must not create them.
    const found = await operator.verifyExport(linesOfFile(file), {
      seals: state.isMade(),
      ...defined({ anchors }),
    });
    return verdictOf(file, found);
  } catch (error) {
    if (!(error instanceof WorkflowError) || error.code !== 'INVALID_FILE') throw error;
    const { revision } = error.data;
    return {
      ...unreadable(file, error.message),
      ...(typeof revision === 'number' && { brokenAt: revision }),
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
  return ok ? ['whole', target, whole] : ['broken', target, (problem ?? '') + more];
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
  context: SessionsContext,
  session: string | undefined,
  { all = false, lostKey }: SealOptions,
): Promise<ExitCode> {
  const { operator, state } = context;
  if (all === (session !== undefined)) throw new WorkflowError('INVALID_INPUT', sessionMessages.nameToSeal);
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
  return context.answer(
    { ok: refused === 0, sealed },
    () =>
      [
        ...(sealed.length === 0 ? [] : [columns(sealed.map((one) => [one.how, one.sid, one.problem ?? '']))]),
        sessionMessages.sealed(sealed.length - refused, refused),
      ].join('\n'),
    refused === 0,
  );
}

/** A person must confirm, and an agent must not be able to. So this asks at a terminal, whatever the flags say. */
async function vouch({ terminal }: SessionsContext, doubtful: readonly Verification[]): Promise<void> {
  if (doubtful.length === 0) return;
  if (!terminal.isInteractive)
    throw new WorkflowError('INVALID_INPUT', sessionMessages.sealNeedsTerminal(doubtful.length));
  const rows = doubtful.map(({ sid, events, problems }) => [
    sid,
    `${events} events`,
    problems[0]?.message ?? '',
  ]);
  await terminal.print(`${columns(rows)}\n`);
  const asked = sessionMessages.sealQuestion(doubtful.length);
  if ((await terminal.ask(asked))?.trim() !== 'seal')
    throw new WorkflowError('CANCELLED', sessionMessages.sealDeclined);
}
