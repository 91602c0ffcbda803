import { resolve } from 'node:path';
import type { Anchors } from '@workflowlookup/core/operator';
import type { OpenedSessionStatement, SessionStatement } from '@workflowlookup/evidence';
import {
  openSessionStatement,
  readSigningKey,
  readStatementFile,
  readTrustedKey,
  signSession,
} from '@workflowlookup/evidence';
import { readTrustedKeys } from '@workflowlookup/host/flags';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../commands/command-line.ts';
import { exitCodes, present } from '../commands/command-line.ts';
import { writeNewLines } from '../files.ts';
import { answerTexts, sectionTitles, sessionMessages, sessionTexts } from '../messages/sessions.ts';
import { counted, indented, momentText, plainLine } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { SessionsContext } from './context.ts';
import { sessionOf } from './context.ts';
import type { Section } from './question-text.ts';
import { answererText, evidenceFacts, notDoneText, sectionTexts, takenText } from './question-text.ts';
import type { Problem, Verdict, VerifyOptions } from './verify.ts';
import { answerVerdicts, unreadable, verdictOn, verdictsText, verifyTarget } from './verify.ts';

/** Options of `sessions export` for a statement. */
export interface StateOptions {
  readonly statement?: boolean;
  /** The file with the private key. */
  readonly key?: string;
}

/** Signs a statement of a session: the head of its journal, its decisions and its evidence. */
export async function exportStatement(
  context: SessionsContext,
  session: string,
  file: string | undefined,
  { statement = false, key: keyFile }: StateOptions,
): Promise<ExitCode> {
  const { operator, terminal, answer } = context;
  if (!statement || keyFile === undefined)
    throw new WorkflowError('INVALID_INPUT', sessionMessages.statementNeedsKey);
  const key = await readSigningKey(keyFile);
  const sid = await sessionOf(context, session);
  const history = await operator.history(sid);
  const verification = await operator.verify(sid);
  const envelope = signSession({ history, verification, signedAt: new Date().toISOString() }, key);
  const line = JSON.stringify(envelope);
  const status = history.outcome ?? history.session.status;
  if (status !== 'completed') await terminal.warn(`${sessionMessages.unfinishedStated(sid, status)}\n`);
  if (file === undefined) {
    await terminal.printExact(`${line}\n`);
    return exitCodes.ok;
  }
  await writeNewLines(file, [line]);
  return answer({ sid, file, status, revision: history.session.revision }, () =>
    sessionMessages.stated(sid, plainLine(file)),
  );
}

/** Options of `sessions verify` for a statement. */
export interface StatementOptions {
  /** The file with the statement. */
  readonly statement?: string;
  readonly trustedKey?: readonly string[];
  readonly session?: string;
  readonly commit?: string;
  readonly unfinished?: boolean;
}

type StatementRequest = VerifyOptions & { readonly statement: string };

/** A verdict on a statement, with what it says. */
interface StatementVerdict extends Verdict {
  readonly statement?: SessionStatement;
  /** The trusted keys that signed it. */
  readonly signers?: readonly string[];
}

/** Verifies a statement of a session without any stored session, and compares sessions or exported files with it. */
export async function verifyStatement(
  context: SessionsContext,
  targets: readonly string[],
  request: StatementRequest,
): Promise<ExitCode> {
  const { all, anchor } = request;
  if (all === true || anchor !== undefined)
    throw new WorkflowError('INVALID_INPUT', sessionMessages.statementExcludes);
  const opened = await openStatement(context, request);
  if ('ok' in opened) return answerVerdicts(context, [opened], () => [verdictsText([opened])]);
  const { statement } = opened;
  const own = judge(opened, request);
  const others: Verdict[] = [];
  for (const target of targets) others.push(await compare(context, target, statement));
  const verdicts = [own, ...others];
  return answerVerdicts(context, verdicts, () => [
    statementText(statement, context.terminal),
    '',
    verdictsText(verdicts),
    opened.signers.length === 0
      ? sessionMessages.unsigned
      : sessionMessages.signedBy(opened.signers.join(', ')),
    ...others.flatMap(({ target, ok, events = 0 }) =>
      ok && events > statement.session.revision
        ? [sessionMessages.isNewer(plainLine(target), events - statement.session.revision)]
        : [],
    ),
    ...(verdicts.every(({ authenticated }) => authenticated) || opened.signers.length === 0
      ? []
      : [sessionMessages.unauthenticated]),
  ]);
}

/** Opens a statement. Returns a verdict instead if it can't be used. */
async function openStatement(
  { env }: SessionsContext,
  { statement: file, trustedKey }: StatementRequest,
): Promise<OpenedSessionStatement | Verdict> {
  const keys = readTrustedKeys({ ...(trustedKey && { 'trusted-key': [...trustedKey] }) }, env);
  if (typeof keys === 'string') throw new WorkflowError('INVALID_INPUT', keys);
  const trusted = await Promise.all(keys.map((one) => readTrustedKey(one.name, resolve(one.file))));
  const text = await readStatementFile(file);
  try {
    return openSessionStatement(text, trusted);
  } catch (error) {
    if (!(error instanceof WorkflowError)) throw error;
    const { code, message } = error;
    return {
      ...unreadable(file, message, [{ code, message }]),
      authenticated: code === 'STATEMENT_REFUSED',
    };
  }
}

function judge(
  { statement, signers }: OpenedSessionStatement,
  { statement: file, session, commit, unfinished = false }: StatementRequest,
): StatementVerdict {
  const { sid, status, revision: events } = statement.session;
  const { abandonedStated, otherCommit, otherSession, unfinished: unfinishedStated } = sessionMessages;
  const problems: Problem[] = [];
  if (session !== undefined && session !== sid)
    problems.push({ code: 'OTHER_SESSION', message: otherSession(sid, session) });
  if (commit !== undefined && statement.commit !== commit.toLowerCase())
    problems.push({ code: 'OTHER_COMMIT', message: otherCommit(statement.commit, commit) });
  if (status !== 'completed' && !unfinished) {
    const message = status === 'abandoned' ? abandonedStated : unfinishedStated(status);
    problems.push({ code: 'UNFINISHED', message });
  }
  const verdict = verdictOn(file, problems, { authenticated: signers.length > 0, sid, events });
  return { ...verdict, statement, signers };
}

/** Compares a session, or an exported file, with a statement: it must have the event that the statement names. */
async function compare(
  context: SessionsContext,
  target: string,
  { session: { sid, revision, head } }: SessionStatement,
): Promise<Verdict> {
  const anchors: Anchors = {
    heads: new Map([[sid, new Map([[revision, new Set([head])]])]]),
    pruned: new Set(),
    problems: [],
  };
  const verdict = await verifyTarget({ ...context, anchors }, target);
  if (verdict.sid === undefined || verdict.sid === sid) return verdict;
  const message = sessionMessages.otherSession(sid, verdict.sid);
  return verdictOn(verdict.target, [{ code: 'OTHER_SESSION', message }, ...verdict.problems], verdict);
}

/** Formats what a statement says. All of it is untrusted text until the signature is checked. */
function statementText(statement: SessionStatement, { paint }: Pick<Terminal, 'paint'>): string {
  const { session, decisions, evidence, notDone, taken, warnings, commit, signedAt } = statement;
  const { sid, title, workflow, enforcement, status, revision, startedAt, writtenAt, vouchedBy } = session;
  const parts: readonly Section[] = [
    ['Decisions', indented(decisions.map(decisionCells))],
    [sectionTitles.taken, takenText(taken)],
    ['Evidence', indented(evidence.map(evidenceCells))],
    [sectionTitles.stepsNotDone, notDoneText(notDone)],
  ];
  return present([
    `${paint('bold', plainLine(title))}  ${paint('dim', sessionTexts.session(sid))}`,
    plainLine(sessionTexts.stated(`${workflow.id} ${workflow.version}`, enforcement, status, revision)),
    sessionTexts.statedTimes(momentText(startedAt), momentText(writtenAt), momentText(signedAt)),
    commit !== undefined && sessionTexts.commit(commit),
    vouchedBy !== undefined && plainLine(sessionTexts.sealedLater(vouchedBy)),
    warnings > 0 && sessionTexts.ignored(counted(warnings, 'warning')),
    ...sectionTexts(parts, paint).flatMap((text) => ['', text]),
  ]).join('\n');
}

function decisionCells(decision: SessionStatement['decisions'][number]): readonly string[] {
  const { checkpoint, activity, answer, at, note, channel, ...who } = decision;
  const how = channel === undefined ? '' : ` ${answerTexts.through(channel)}`;
  const said = answerTexts.answered(answer, answererText(who)) + how;
  const place = answerTexts.place(checkpoint, activity);
  return [momentText(at), place, note === undefined ? said : `${said}: ${note}`];
}

function evidenceCells(one: SessionStatement['evidence'][number]): readonly string[] {
  const { id, activity, outcome, level, at, output: _output, ...result } = one;
  return [id, activity, outcome, level, momentText(at), evidenceFacts(result).join('; ')];
}
