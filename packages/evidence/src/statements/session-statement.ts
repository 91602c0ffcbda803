import type { KeyObject } from 'node:crypto';
import type {
  NotDoneStep,
  SessionHistory,
  TakenCheckpoint,
  Verification,
} from '@workflowlookup/core/operator';
import type { CommandOutput, EvidenceResult } from '@workflowlookup/core/sessions';
import { WorkflowError, defined } from '@workflowlookup/schema';
import { statementMessages } from '../messages.ts';
import type { Test } from './check-statement.ts';
import {
  countTests,
  fieldsOf,
  isCount,
  isNumber,
  isShort,
  isText,
  picked,
  statementType,
} from './check-statement.ts';
import type { Envelope, TrustedKey } from './envelope.ts';
import { fileText, malformed, openEnvelope, signStatement } from './envelope.ts';

const sessionResult = 'https://workflowlookup.dev/session/v1';

/** Longest statement of a session, in characters. A session can have many decisions. */
const maxChars = 16 * 1024 * 1024;

/** A decision at a checkpoint. */
export interface StatedDecision {
  readonly activity: string;
  readonly checkpoint: string;
  /** The revision that asked. */
  readonly revision: number;
  /** When it was decided; ISO 8601. */
  readonly at: string;
  /** The option, or how it ended without one. */
  readonly answer: string;
  readonly by: 'agent' | 'human';
  readonly person?: string;
  readonly note?: string;
  /** How the answer came, and how strong it is as proof that a person gave it. */
  readonly channel?: string;
  readonly assurance?: string;
  /** Digest of the question as it was put. */
  readonly question?: string;
}

/** The last result for evidence that a step asked for. The digest and the size of an output are there, its end is not. */
export interface StatedEvidence extends Omit<
  EvidenceResult,
  'collectedAt' | 'file' | 'output' | 'repository'
> {
  readonly id: string;
  readonly activity: string;
  readonly revision: number;
  /** When it was collected; ISO 8601. */
  readonly at: string;
  readonly output?: Omit<CommandOutput, 'tail'>;
}

/** What a statement says of a session. */
export interface SessionStatement {
  readonly session: {
    readonly sid: string;
    readonly title: string;
    readonly workflow: { readonly id: string; readonly version: string; readonly digest: string };
    readonly enforcement: 'advisory' | 'strict';
    readonly status: 'active' | 'blocked' | 'parked' | 'completed' | 'abandoned';
    /** ISO 8601. */
    readonly startedAt: string;
    /** When the last event was written; ISO 8601. */
    readonly writtenAt: string;
    /** The number of events, and the hash of the last one, which covers all before it. */
    readonly revision: number;
    readonly head: string;
    /** The person who sealed it later, and vouched for what it held. */
    readonly vouchedBy?: string;
  };
  /** When it was signed; ISO 8601. */
  readonly signedAt: string;
  readonly decisions: readonly StatedDecision[];
  readonly evidence: readonly StatedEvidence[];
  readonly notDone: readonly Pick<NotDoneStep, 'activity' | 'step' | 'reason'>[];
  /** Checkpoints at which nobody was asked. */
  readonly taken: readonly Pick<TakenCheckpoint, 'activity' | 'checkpoint' | 'option'>[];
  /** How many warnings the agent ignored, in an advisory session. */
  readonly warnings: number;
  /** The commit of the newest evidence and of the newest result of each check, if all files equalled it. */
  readonly commit?: string;
}

/** The data for a statement about a session: the results of `history` and `verify` of an operator. */
export interface SessionToState {
  readonly history: SessionHistory;
  readonly verification: Verification;
  /** ISO 8601. */
  readonly signedAt: string;
}

/**
 * Signs a statement of a whole session: the head of its journal, its decisions and its evidence.
 *
 * @throws WorkflowError INVALID_STATE if the session does not verify or is not authentic, because a signature must not
 *   vouch for it; SESSION_CONFLICT if it was written to between the two readings
 */
export function signSession({ history, verification, signedAt }: SessionToState, key: KeyObject): Envelope {
  const { sid, revision, unauthentic, imported } = history.session;
  const { problems, events, isAuthenticated } = verification;
  if (problems.length > 0 || !history.chain.ok) {
    const named = problems.slice(0, 3).map(({ code, message }) => `${code}: ${message}`);
    throw new WorkflowError('INVALID_STATE', statementMessages.brokenSession(sid, named), {
      data: { reason: 'problems', sid, problems: problems.map(({ code }) => code) },
    });
  }
  if (!isAuthenticated || unauthentic !== undefined || imported?.isAuthentic === false)
    throw new WorkflowError('INVALID_STATE', statementMessages.unauthenticated(sid), {
      data: { reason: 'unauthenticated', sid },
    });
  if (events !== revision) throw new WorkflowError('SESSION_CONFLICT', statementMessages.movedOn(sid));
  const { commit, ...predicate } = accountOf(history, signedAt);
  const { head } = predicate.session;
  const statement = {
    _type: statementType,
    subject: [
      { name: `session ${sid}`, digest: { sha256: head.replace('sha256:', '') } },
      ...(commit === undefined ? [] : [{ name: 'commit', digest: { gitCommit: commit } }]),
    ],
    predicateType: sessionResult,
    predicate,
  };
  return signStatement(statement, key, { maxChars });
}

function accountOf(history: SessionHistory, signedAt: string): SessionStatement {
  const { session, title, enforcement, outcome, checkpoints, notDone, taken, moves, evidence = [] } = history;
  const recorded = evidence.flatMap((one) => one.recorded ?? []).toSorted((a, b) => a.revision - b.revision);
  const commit = commitOf(recorded.map(({ result }) => result));
  return {
    session: {
      sid: session.sid,
      title,
      workflow: { id: session.workflowId, version: session.version, digest: session.digest },
      enforcement,
      status: outcome ?? session.status,
      startedAt: session.createdAt,
      writtenAt: session.updatedAt,
      revision: session.revision,
      head: session.hash,
      ...(session.sealed === undefined ? {} : { vouchedBy: session.sealed.by }),
    },
    signedAt,
    decisions: checkpoints.flatMap(decisionOf),
    evidence: recorded.map(({ id, activity, revision, at, result }): StatedEvidence => {
      const { output, collectedAt = at, ...found } = result;
      const size = output === undefined ? {} : { output: { digest: output.digest, bytes: output.bytes } };
      return { id, activity, revision, at: collectedAt, ...found, ...size };
    }),
    notDone: notDone.map(({ activity, step, reason }) => ({ activity, step, reason })),
    taken: taken.map(({ activity, checkpoint, option }) => ({ activity, checkpoint, option })),
    warnings: moves.reduce((sum, { warnings = [] }) => sum + warnings.length, 0),
    ...(commit === undefined ? {} : { commit }),
  };
}

/**
 * Returns the commit that results are about: all files equalled it in the newest result, and in the newest result of
 * each check. Otherwise an agent could have tests run, change the code, and have a file looked at.
 */
function commitOf(results: readonly EvidenceResult[]): string | undefined {
  const newest = results.at(-1)?.tree;
  const ofChecks = new Map(
    results.flatMap(({ check, tree }) => (check === undefined ? [] : [[check, tree]])),
  );
  if ([...ofChecks.values()].some((tree) => tree !== newest)) return undefined;
  return /^commit:(.*)$/.exec(newest ?? '')?.[1];
}

function decisionOf({
  activity,
  checkpoint,
  revision,
  answered,
}: SessionHistory['checkpoints'][number]): readonly StatedDecision[] {
  if (answered === undefined) return [];
  const { at, answer, by, person, note, origin, decided } = answered;
  return [
    {
      activity,
      checkpoint,
      revision,
      at,
      answer: answer.kind === 'dismissed' ? answer.kind : answer.option,
      by,
      ...defined({ person, note, channel: origin?.channel, assurance: origin?.assurance }),
      ...defined({ question: decided?.digest }),
    },
  ];
}

/** Reads a file with a statement of a session. @throws WorkflowError INVALID_FILE if it can't be read */
export async function readStatementFile(file: string): Promise<string> {
  const text = await fileText(file, maxChars, statementMessages.unreadable);
  return Buffer.from(text, 'latin1').toString('utf8');
}

/** A statement that was read, and the names of the trusted keys that signed it. */
export interface OpenedSessionStatement {
  readonly statement: SessionStatement;
  /** Empty if it was read without trusted keys. */
  readonly signers: readonly string[];
}

/**
 * Reads a statement of a session. Without trusted keys it says what is in it, and nobody vouches for that.
 *
 * @throws WorkflowError STATEMENT_REFUSED if keys are trusted and none of them signed it; INVALID_INPUT if it is no
 *   statement of a session
 */
export function openSessionStatement(source: string, trusted: readonly TrustedKey[]): OpenedSessionStatement {
  const opened = openEnvelope(source, trusted, { maxChars, isUnsignedToo: trusted.length === 0 });
  const { _type: type, predicateType, subject, predicate } = opened.statement;
  if (type !== statementType || predicateType !== sessionResult)
    throw malformed(statementMessages.otherPredicate(String(predicateType).slice(0, 200), sessionResult));
  const [first, second, ...others] = Array.isArray(subject) ? (subject as readonly unknown[]) : [];
  const statement = picked(predicate, predicateTests) as SessionStatement | undefined;
  const head = fieldsOf(fieldsOf(first)['digest'])['sha256'];
  const commit = second === undefined ? undefined : fieldsOf(fieldsOf(second)['digest'])['gitCommit'];
  if (
    statement === undefined ||
    others.length > 0 ||
    !isText(head, /./) ||
    statement.session.head !== `sha256:${head}` ||
    !(second === undefined || isText(commit, /^[0-9a-f]{40}([0-9a-f]{24})?$/))
  )
    throw malformed(statementMessages.notOfASession());
  return {
    statement: { ...statement, ...(typeof commit === 'string' && { commit }) },
    signers: opened.signers.map(({ name }) => name),
  };
}

const matches =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    isText(value, pattern);

const isAny = (value: unknown): boolean => typeof value === 'string';
const isTime = matches(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const isDigest = matches(/^sha256:[0-9a-f]{64}$/);

const decisionTests: Test = {
  activity: isAny,
  checkpoint: isAny,
  revision: isCount,
  at: isTime,
  answer: isAny,
  by: matches(/^(agent|human)$/),
  'person?': isAny,
  'note?': isAny,
  'channel?': isShort,
  'assurance?': isShort,
  'question?': isShort,
};

const evidenceTests: Test = {
  id: isAny,
  activity: isAny,
  revision: isCount,
  at: isTime,
  kind: matches(/^(check|git|changes|file)$/),
  level: matches(/^(claimed|observed|rerun|ci)$/),
  outcome: matches(/^(passed|failed|not-configured)$/),
  reasons: [isAny],
  'check?': isAny,
  'command?': isAny,
  'exitCode?': Number.isSafeInteger,
  'tests?': countTests,
  'testsBefore?': isCount,
  'errors?': isCount,
  'coverage?': isNumber,
  'durationMs?': isNumber,
  'output?': { digest: isDigest, bytes: isCount },
  'commit?': isShort,
  'tree?': isShort,
  'paths?': [isAny],
  'base?': isShort,
  'touched?': [isAny],
  'by?': isAny,
};

/** The fields that this version knows. */
const predicateTests: Test = {
  session: {
    sid: matches(/^[!-~]{1,128}$/),
    title: isAny,
    workflow: { id: isAny, version: isAny, digest: isAny },
    enforcement: matches(/^(advisory|strict)$/),
    status: matches(/^(active|blocked|parked|completed|abandoned)$/),
    startedAt: isTime,
    writtenAt: isTime,
    revision: isCount,
    head: isDigest,
    'vouchedBy?': isAny,
  },
  signedAt: isTime,
  decisions: [decisionTests],
  evidence: [evidenceTests],
  notDone: [{ activity: isAny, step: isAny, reason: isAny }],
  taken: [{ activity: isAny, checkpoint: isAny, option: isAny }],
  warnings: isCount,
};
