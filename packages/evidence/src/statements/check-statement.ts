import type { KeyObject } from 'node:crypto';
import type { EvidenceResult, StatedCheck, StatementReader } from '@workflowlookup/core/sessions';
import { WorkflowError, isJsonObject } from '@workflowlookup/schema';
import type { CheckEvidence } from '@workflowlookup/schema';
import { checksFile, readProjectChecks } from '../checks/project-checks.ts';
import type { CheckFindings } from '../checks/run-check.ts';
import type { TestsBefore } from '../checks/run-check.ts';
import { judgeRun, runCheck } from '../checks/run-check.ts';
import type { ChecksTrust } from '../collector.ts';
import { checkReasons, listed, statementMessages } from '../messages.ts';
import { reportPatterns } from '../reports.ts';
import { openRepository } from '../tree/repository.ts';
import { treeState } from '../tree/tree-state.ts';
import type { Envelope, TrustedKey } from './envelope.ts';
import { malformed, openEnvelope, parsed, signStatement } from './envelope.ts';

export const statementType = 'https://in-toto.io/Statement/v1';
const testResult = 'https://in-toto.io/attestation/test-result/v0.1';

/** A check to sign a statement about, at the commit that is checked out in a folder. */
export interface AttestRequest {
  readonly folder: string;
  /** A folder of this user for caches and other files that are kept between calls. */
  readonly stateFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly check: string;
  /** Without a key, the statement is not signed. */
  readonly key?: KeyObject;
  /** The only session that the statement is for. */
  readonly session?: string;
  /** The address of a page about the run. */
  readonly url?: string;
  /** The text of a statement without a signature, instead of a run: its check may have run where there is no key. */
  readonly findings?: string;
}

/** A statement, and what it says. */
export interface Attestation {
  /** Absent without a key. */
  readonly envelope?: Envelope;
  readonly statement: object;
  readonly commit: string;
  readonly found: CheckFindings;
  /** Why the check failed; empty if it passed. */
  readonly reasons: readonly string[];
}

/**
 * Runs a check on a clean commit, or takes the findings of a run, and signs a statement about it: an in-toto statement
 * with the predicate `test-result/v0.1`. Whoever calls it decides to run the command, so it needs no trust.
 *
 * @throws WorkflowError NOT_FOUND without such a check; INVALID_STATE if files differ from the commit;
 *   STATEMENT_REFUSED for findings about another commit, check or session; INVALID_INPUT
 */
export async function attestCheck(
  request: AttestRequest & Required<Pick<AttestRequest, 'key'>>,
): Promise<Attestation & Required<Pick<Attestation, 'envelope'>>>;
/** The same without a key: the statement is not signed. */
export async function attestCheck(request: AttestRequest): Promise<Attestation>;
export async function attestCheck(request: AttestRequest): Promise<Attestation> {
  const { folder, stateFolder, environment, check: name, key, session, url, findings } = request;
  const project = await readProjectChecks(folder);
  const checks = project?.checks?.checks ?? {};
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (project === undefined || check === undefined)
    throw new WorkflowError('NOT_FOUND', statementMessages.noCheck(name, project?.problem));
  const repository = await openRepository({ folder, environment, cacheFolder: `${stateFolder}/trees` });
  const reports = Object.values(checks).flatMap(({ reports: list = [] }) => reportPatterns(list));
  const look = async () => repository && treeState(repository, { reports });
  const before = await look();
  if (before === undefined)
    throw new WorkflowError(
      'INVALID_STATE',
      `${statementMessages.cantAttest()} ${checkReasons.noRepository()}.`,
    );
  const { commit, changed, isClean } = before;
  if (!isClean)
    throw new WorkflowError('INVALID_STATE', statementMessages.notClean(listed(changed)), {
      data: { commit },
    });
  const ran: Ran =
    findings === undefined
      ? {
          ranAt: new Date().toISOString(),
          found: await runCheck({ name, check, folder, root: repository?.root, environment }),
        }
      : foundElsewhere(findings, { check: name, commit, checksDigest: project.digest, session });
  const after = await look();
  if (after?.tree !== before.tree)
    throw new WorkflowError(
      'INVALID_STATE',
      statementMessages.changedMeanwhile(listed(after?.changed ?? [])),
      {
        data: { commit },
      },
    );
  const { statement, reasons } = statementAbout(ran, { name, commit, digest: project.digest, session, url });
  const envelope = key === undefined ? {} : { envelope: signStatement(statement, key) };
  return { ...envelope, statement, commit, found: ran.found, reasons };
}

/** A run of a check. */
interface Ran {
  readonly ranAt: string;
  readonly found: CheckFindings;
  /** Somebody says that it failed. */
  readonly isFailed?: boolean;
}

function statementAbout(
  { ranAt, found, isFailed = false }: Ran,
  {
    name,
    commit,
    digest,
    session,
    url,
  }: {
    readonly name: string;
    readonly commit: string;
    readonly digest: string;
    readonly session: string | undefined;
    readonly url: string | undefined;
  },
): Pick<Attestation, 'reasons' | 'statement'> {
  const judged = judgeRun(found, {}, undefined);
  const reasons = judged.length === 0 && isFailed ? [checkReasons.statedAsFailed()] : judged;
  const { output, ...run } = found;
  const statement = {
    _type: statementType,
    subject: [{ name: 'commit', digest: { gitCommit: commit } }],
    predicateType: testResult,
    predicate: {
      result: reasons.length === 0 ? 'PASSED' : 'FAILED',
      configuration: [{ name: checksFile, digest: { sha256: digest.replace('sha256:', '') } }],
      ...(url !== undefined && { url }),
      ...(found.tests !== undefined && { failedTests: found.tests.failures }),
      // A field of our own, which other readers ignore: what the step of a workflow is judged by.
      workflowlookup: {
        check: name,
        ranAt,
        ...(session !== undefined && { session }),
        run: { ...run, ...(output && { output: { ...output, tail: '' } }) },
      },
    },
  };
  return { statement, reasons };
}

/**
 * Reads what a check showed in a place without a key. Whoever wrote it may have lied about the check, but not about what
 * can be seen here: the commit, the checks of the project and the session.
 */
function foundElsewhere(
  text: string,
  here: Pick<StatedCheck, 'check' | 'checksDigest' | 'commit'> & { readonly session: string | undefined },
): Ran {
  const statement = parsed(text);
  if (!isJsonObject(statement)) throw malformed(statementMessages.notAnObject());
  const stated = statedCheck(statement, '');
  for (const field of ['check', 'commit', 'checksDigest', 'session'] as const) {
    if (stated[field] === here[field]) continue;
    throw new WorkflowError(
      'STATEMENT_REFUSED',
      statementMessages.otherFindings(field, stated[field], here[field]),
      { data: { reason: 'other-findings', field } },
    );
  }
  const { predicate } = statement;
  const { result, workflowlookup } = fieldsOf(predicate);
  const found = findingsOf(fieldsOf(workflowlookup)['run'], here.check);
  if (found === undefined) throw malformed(statementMessages.notAStatement());
  return { ranAt: stated.ranAt, found, isFailed: result === 'FAILED' };
}

function plainAcceptCommand(check: string): string {
  return `workflowlookup checks run ${check} --accept`;
}

/**
 * Creates the reader of statements that one of these keys signed. The keys are read with the first statement.
 * `acceptCommand` returns the command with which a person accepts fewer tests of a check.
 */
export function createStatementReader(
  readKeys: () => Promise<readonly TrustedKey[]>,
  acceptCommand: ChecksTrust['acceptCommand'] = plainAcceptCommand,
): StatementReader {
  let keys: readonly TrustedKey[] | undefined;
  return {
    async read(source) {
      keys ??= await readKeys();
      const { statement, signers } = openEnvelope(source, keys);
      return statedCheck(statement, signers[0]?.name ?? '', acceptCommand);
    },
  };
}

export type Fields = Readonly<Record<string, unknown>>;

/** Reads what a statement says. A trusted key signed it, so only its form is checked. */
function statedCheck(
  statement: Fields,
  by: string,
  acceptCommand: ChecksTrust['acceptCommand'] = plainAcceptCommand,
): StatedCheck {
  const { _type: type, predicateType, subject, predicate } = statement;
  if (type !== statementType || predicateType !== testResult)
    throw malformed(statementMessages.otherPredicate(String(predicateType).slice(0, 200), testResult));
  const [first, ...others] = Array.isArray(subject) ? (subject as readonly unknown[]) : [];
  const commit = fieldsOf(fieldsOf(first)['digest'])['gitCommit'];
  const { result, configuration, workflowlookup } = fieldsOf(predicate);
  const { check, ranAt, session, run } = fieldsOf(workflowlookup);
  const [file] = Array.isArray(configuration) ? (configuration as readonly unknown[]) : [];
  const checks = fieldsOf(fieldsOf(file)['digest'])['sha256'];
  const found = isText(check, /^.{1,64}$/) ? findingsOf(run, check) : undefined;
  if (
    found === undefined ||
    others.length > 0 ||
    !isText(commit, /^[0-9a-f]{40}([0-9a-f]{24})?$/) ||
    !isText(checks, /^[0-9a-f]{64}$/) ||
    !isText(ranAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/) ||
    Number.isNaN(Date.parse(ranAt)) ||
    !(session === undefined || isText(session, /^.{1,200}$/)) ||
    !(result === 'PASSED' || result === 'FAILED')
  )
    throw malformed(statementMessages.notAStatement());
  // In one form, so that times can be compared as texts.
  const collectedAt = new Date(ranAt).toISOString();
  const signed = { by, commit, tree: `commit:${commit}`, collectedAt };
  return {
    by,
    check: found.check ?? '',
    commit,
    ranAt: collectedAt,
    checksDigest: `sha256:${checks}`,
    ...(session !== undefined && { session }),
    resultFor: (evidence, before) =>
      resultOf(found, {
        evidence,
        before:
          before === undefined ? undefined : { run: before, acceptWith: acceptCommand(found.check ?? '') },
        isFailed: result === 'FAILED',
        ...signed,
      }),
  };
}

function resultOf(
  { ended, endedBy, timeout, reportProblems, ...shown }: CheckFindings,
  {
    evidence,
    before,
    isFailed,
    ...signed
  }: Pick<EvidenceResult, 'by' | 'collectedAt' | 'commit' | 'tree'> & {
    readonly evidence: CheckEvidence;
    readonly before: TestsBefore | undefined;
    readonly isFailed: boolean;
  },
): EvidenceResult {
  const all = { ...shown, ended, timeout, reportProblems, ...(endedBy === undefined ? {} : { endedBy }) };
  const judged = judgeRun(all, evidence, before);
  // Who signed it may know of more than what the fields say, unless these are failures that the step allows.
  const isUnexplained = isFailed && judged.length === 0 && (evidence.max_failures ?? 0) === 0;
  const reasons = isUnexplained ? [checkReasons.statedAsFailed()] : judged;
  return {
    ...shown,
    ...signed,
    kind: 'check',
    level: 'ci',
    outcome: reasons.length === 0 ? 'passed' : 'failed',
    reasons,
    ...(before === undefined ? {} : { testsBefore: before.run }),
  };
}

export function fieldsOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}

export function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

export type Test = (value: unknown) => boolean;

export const isCount: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isNumber: Test = (value) => typeof value === 'number' && Number.isFinite(value);
export const isShort: Test = (value) => typeof value === 'string' && value.length <= 4096;
const areTexts: Test = (value) => Array.isArray(value) && value.length <= 100 && value.every(isShort);

export const countTests: Readonly<Record<string, Test>> = {
  run: isCount,
  failed: isCount,
  skipped: isCount,
  failures: areTexts,
};
const outputTests: Readonly<Record<string, Test>> = { digest: isShort, bytes: isCount, tail: isShort };

/** Fields with `?` may be absent. */
const findingsTests: Readonly<Record<string, Test>> = {
  ended: (value) =>
    ['itself', 'timeout', 'cancelled', 'too-much-output', 'not-started'].includes(String(value)),
  'endedBy?': isShort,
  timeout: isShort,
  reportProblems: areTexts,
  'command?': isShort,
  'exitCode?': Number.isSafeInteger,
  'tests?': (value) => picked(value, countTests) !== undefined,
  'errors?': isCount,
  'coverage?': isNumber,
  'durationMs?': isNumber,
  'output?': (value) => picked(value, outputTests) !== undefined,
};

/** Returns the fields that pass these tests, without all others; `undefined` if one fails. */
export function picked(value: unknown, tests: Readonly<Record<string, Test>>): Fields | undefined {
  if (!isJsonObject(value)) return undefined;
  const found = Object.entries(tests).map(([spelled, isRight]) => {
    const name = spelled.replace('?', '');
    const one = Object.hasOwn(value, name) ? value[name] : undefined;
    return { name, one, isRight: one === undefined ? spelled.endsWith('?') : isRight(one) };
  });
  if (!found.every(({ isRight }) => isRight)) return undefined;
  return Object.fromEntries(found.flatMap(({ name, one }) => (one === undefined ? [] : [[name, one]])));
}

function findingsOf(run: unknown, check: string): CheckFindings | undefined {
  const found = picked(run, findingsTests);
  if (found === undefined) return undefined;
  const { tests, output } = found;
  return {
    ...found,
    check,
    ...(tests === undefined ? {} : { tests: picked(tests, countTests) }),
    ...(output === undefined ? {} : { output: picked(output, outputTests) }),
  } as unknown as CheckFindings;
}
