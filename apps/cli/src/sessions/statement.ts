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
import type { Environment, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import { writeNewLines } from '../files.ts';
import { messages } from '../messages.ts';
import { columns, momentText, plainLine } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { CommandContext } from './context.ts';
import { sessionOf } from './context.ts';
import { answererText, evidenceFacts, notDoneText } from './question-text.ts';
import type { Verdict } from './verify.ts';
import { answerVerdicts, verdictsText, verifyTarget } from './verify.ts';

/** Options of `sessions export` for a statement. */
export interface StateOptions {
  readonly statement?: boolean;
  /** The file with the private key. */
  readonly key?: string;
}

/** Signs a statement of a session: the head of its journal, its decisions and its evidence. */
export async function exportStatement(
  context: CommandContext,
  session: string,
  { statement = false, key: keyFile, file }: StateOptions & { readonly file: string | undefined },
): Promise<ExitCode> {
  const { operator, terminal, answer } = context;
  if (!statement || keyFile === undefined)
    throw new WorkflowError('INVALID_INPUT', messages.sessions.statementNeedsKey);
  const key = await readSigningKey(keyFile);
  const sid = await sessionOf(context, session);
  const history = await operator.history(sid);
  const verification = await operator.verify(sid);
  const envelope = signSession({ history, verification, signedAt: new Date().toISOString() }, key);
  const line = JSON.stringify(envelope);
  const status = history.outcome ?? history.session.status;
  if (status !== 'completed') await terminal.warn(`${messages.sessions.unfinishedStated(sid, status)}\n`);
  if (file === undefined) {
    await terminal.printExact(`${line}\n`);
    return exitCodes.ok;
  }
  await writeNewLines(file, [line]);
  await answer({ sid, file, status, revision: history.session.revision }, () =>
    messages.sessions.stated(sid, plainLine(file)),
  );
  return exitCodes.ok;
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

interface StatementRequest extends Omit<StatementOptions, 'statement'> {
  readonly file: string;
  readonly env: Environment;
  readonly all?: boolean;
  readonly anchor?: string;
}

/** A verdict on a statement, with what it says. */
interface StatementVerdict extends Verdict {
  readonly statement?: SessionStatement;
  /** The trusted keys that signed it. */
  readonly signers?: readonly string[];
}

/** Verifies a statement of a session without any stored session, and compares sessions or exported files with it. */
export async function verifyStatement(
  context: CommandContext,
  targets: readonly string[],
  request: StatementRequest,
): Promise<ExitCode> {
  const { file, all, anchor } = request;
  if (all === true || anchor !== undefined)
    throw new WorkflowError('INVALID_INPUT', messages.sessions.statementExcludes);
  const opened = await openStatement(request);
  if ('problem' in opened) return answerVerdicts(context, [opened], () => [verdictsText([opened])]);
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
      ? messages.sessions.unsigned
      : messages.sessions.signedBy(opened.signers.join(', ')),
    ...others.flatMap(({ target, ok, events = 0 }) =>
      ok && events > statement.session.revision
        ? [messages.sessions.isNewer(plainLine(target), events - statement.session.revision)]
        : [],
    ),
    ...(verdicts.every(({ authenticated }) => authenticated) || opened.signers.length === 0
      ? []
      : [messages.sessions.unauthenticated]),
  ]);

  async function openStatement({
    trustedKey,
    env,
  }: StatementRequest): Promise<OpenedSessionStatement | (Verdict & { readonly problem: string })> {
    const keys = readTrustedKeys({ ...(trustedKey && { 'trusted-key': [...trustedKey] }) }, env);
    if (typeof keys === 'string') throw new WorkflowError('INVALID_INPUT', keys);
    const trusted = await Promise.all(keys.map((one) => readTrustedKey(one.name, resolve(one.file))));
    const text = await readStatementFile(file);
    try {
      return openSessionStatement(text, trusted);
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error;
      const { code, message } = error;
      const authenticated = code === 'STATEMENT_REFUSED';
      return { target: file, ok: false, authenticated, problem: message, problems: [{ code, message }] };
    }
  }
}

function judge(
  { statement, signers }: OpenedSessionStatement,
  { file, session, commit, unfinished = false }: StatementRequest,
): StatementVerdict {
  const { sid, status, revision } = statement.session;
  const isOther = commit !== undefined && statement.commit !== commit.toLowerCase();
  const problems = [
    ...(session === undefined || session === sid
      ? []
      : [{ code: 'OTHER_SESSION', message: messages.sessions.otherSession(sid, session) }]),
    ...(isOther
      ? [{ code: 'OTHER_COMMIT', message: messages.sessions.otherCommit(statement.commit, commit) }]
      : []),
    ...(status === 'completed' || unfinished
      ? []
      : [
          {
            code: 'UNFINISHED',
            message:
              status === 'abandoned'
                ? messages.sessions.abandonedStated
                : messages.sessions.unfinished(status),
          },
        ]),
  ];
  const [first] = problems;
  return {
    target: file,
    ok: first === undefined,
    authenticated: signers.length > 0,
    sid,
    events: revision,
    ...(first === undefined ? {} : { problem: `${first.code}: ${first.message}` }),
    problems,
    statement,
    signers,
  };
}

/** Compares a session, or an exported file, with a statement: it must have the event that the statement names. */
async function compare(
  context: CommandContext,
  target: string,
  { session: { sid, revision, head } }: SessionStatement,
): Promise<Verdict> {
  const anchors: Anchors = {
    heads: new Map([[sid, new Map([[revision, new Set([head])]])]]),
    pruned: new Set(),
    problems: [],
  };
  const verdict = await verifyTarget(context, target, anchors);
  if (verdict.sid === undefined || verdict.sid === sid) return verdict;
  const message = messages.sessions.otherSession(sid, verdict.sid);
  const problems = [{ code: 'OTHER_SESSION', message }, ...verdict.problems];
  return { ...verdict, ok: false, problem: `OTHER_SESSION: ${message}`, problems };
}

/** Formats what a statement says. All of it is untrusted text until the signature is checked. */
function statementText(statement: SessionStatement, { paint }: Pick<Terminal, 'paint'>): string {
  const { session, decisions, evidence, notDone, taken, warnings, commit, signedAt } = statement;
  const { sid, title, workflow, enforcement, status, revision, startedAt, writtenAt, vouchedBy } = session;
  const parts: readonly (readonly [title: string, body: string])[] = [
    [
      'Decisions',
      columns(
        decisions.map(({ checkpoint, activity, answer, at, note, channel, ...who }) => [
          momentText(at),
          `${plainLine(checkpoint)} of ${plainLine(activity)}`,
          `${plainLine(answer)} by ${answererText(who)}${channel === undefined ? '' : ` through ${plainLine(channel)}`}${note === undefined ? '' : `: ${plainLine(note)}`}`,
        ]),
        '  ',
      ),
    ],
    [
      'Decided without asking',
      columns(
        taken.map(({ checkpoint, activity, option }) => [
          `${plainLine(checkpoint)} of ${plainLine(activity)}`,
          plainLine(option),
        ]),
        '  ',
      ),
    ],
    [
      'Evidence',
      columns(
        evidence.map(({ id, activity, outcome, level, at, output: _output, ...result }) => [
          plainLine(id),
          plainLine(activity),
          outcome,
          level,
          momentText(at),
          plainLine(evidenceFacts(result).join('; ')),
        ]),
        '  ',
      ),
    ],
    ['Steps that were not done', notDoneText(notDone)],
  ];
  return [
    `${paint('bold', plainLine(title))}  ${paint('dim', `session ${sid}`)}`,
    `${plainLine(workflow.id)} ${plainLine(workflow.version)}, ${enforcement}: ${status} after ${revision} events`,
    `started ${momentText(startedAt)}, last changed ${momentText(writtenAt)}, signed ${momentText(signedAt)} (UTC)`,
    ...(commit === undefined ? [] : [`commit ${commit}`]),
    ...(vouchedBy === undefined
      ? []
      : [`sealed later by ${plainLine(vouchedBy)}, who vouched for what it held`]),
    ...(warnings === 0 ? [] : [`the agent ignored ${warnings === 1 ? '1 warning' : `${warnings} warnings`}`]),
    ...parts.flatMap(([name, body]) => (body === '' ? [] : ['', paint('bold', name), body])),
  ].join('\n');
}
