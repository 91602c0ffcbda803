import type { KeyObject } from 'node:crypto';
import type { EvidenceResult, StatedCheck, StatementReader } from '@workflowlookup/core/sessions';
import { WorkflowError, isJsonObject } from '@workflowlookup/schema';
import type { CheckEvidence } from '@workflowlookup/schema';
import { checksFile, readProjectChecks } from '../checks/project-checks.ts';
import type { CheckFindings } from '../checks/run-check.ts';
import { judgeRun, runCheck, shownFindings } from '../checks/run-check.ts';
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
  /**
   * The text of an unsigned statement whose findings are used instead of a run, so that the check can run without the
   * key.
   */
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
/** Makes the statement without a signature if there is no key. */
export async function attestCheck(request: AttestRequest): Promise<Attestation>;
export async function attestCheck(request: AttestRequest): Promise<Attestation> {
  const { folder, stateFolder, environment, check: name, key, findings } = request;
  const project = await readProjectChecks(folder);
  const checks = project?.checks?.checks ?? {};
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (project === undefined || check === undefined)
    throw new WorkflowError('NOT_FOUND', statementMessages.noCheck(name, project?.problem));
  const repository = await openRepository({ folder, environment, cacheFolder: `${stateFolder}/trees` });
  const reports = Object.values(checks).flatMap(({ reports: list = [] }) => reportPatterns(list));
  const look = async () => repository && treeState(repository, { reports });
  const before = await look();
  if (before === undefined) throw new WorkflowError('INVALID_STATE', statementMessages.noRepository());
  const { commit, changed, isClean } = before;
  if (!isClean)
    throw new WorkflowError('INVALID_STATE', statementMessages.notClean(listed(changed)), {
      data: { commit },
    });
  const about = { commit, checksDigest: project.digest };
  const ran =
    findings === undefined
      ? {
          ranAt: new Date().toISOString(),
          found: await runCheck({ name, check, folder, root: repository?.root, environment }),
        }
      : foundElsewhere(findings, request, about);
  const after = await look();
  if (after?.tree !== before.tree)
    throw new WorkflowError(
      'INVALID_STATE',
      statementMessages.changedMeanwhile(listed(after?.changed ?? [])),
      { data: { commit } },
    );
  const { statement, reasons } = statementAbout(ran, request, about);
  const envelope = key === undefined ? {} : { envelope: signStatement(statement, key) };
  return { ...envelope, statement, commit, found: ran.found, reasons };
}

/** What a statement says about a check, and its findings. */
interface ReadCheck extends Omit<StatedCheck, 'by' | 'resultFor'> {
  readonly found: CheckFindings;
  /** Whether it says that the check failed. */
  readonly isFailed: boolean;
}

function statementAbout(
  { ranAt, found, isFailed = false }: Pick<ReadCheck, 'found' | 'ranAt'> & Partial<ReadCheck>,
  { check, session, url }: AttestRequest,
  { commit, checksDigest }: Pick<ReadCheck, 'checksDigest' | 'commit'>,
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
      configuration: [{ name: checksFile, digest: { sha256: checksDigest.replace('sha256:', '') } }],
      ...(url !== undefined && { url }),
      ...(found.tests !== undefined && { failedTests: found.tests.failures }),
      // A field of our own, which other readers ignore: what the step of a workflow is judged by.
      workflowlookup: {
        check,
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
  { check, session }: AttestRequest,
  about: Pick<ReadCheck, 'checksDigest' | 'commit'>,
): ReadCheck {
  const statement = parsed(text);
  if (!isJsonObject(statement)) throw malformed(statementMessages.notAnObject());
  const stated = readCheck(statement);
  const here = { check, session, ...about };
  for (const field of ['check', 'commit', 'checksDigest', 'session'] as const) {
    if (stated[field] === here[field]) continue;
    throw new WorkflowError(
      'STATEMENT_REFUSED',
      statementMessages.otherFindings(field, stated[field], here[field]),
      { data: { reason: 'other-findings', field } },
    );
  }
  return stated;
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
      const by = signers[0]?.name ?? '';
      const { found, isFailed, ...stated } = readCheck(statement);
      const { check, commit, ranAt: collectedAt } = stated;
      return {
        ...stated,
        by,
        resultFor: (evidence, before) => ({
          ...resultOf(found, { evidence, before, isFailed, acceptWith: acceptCommand(check) }),
          by,
          commit,
          tree: `commit:${commit}`,
          collectedAt,
        }),
      };
    },
  };
}

export type Fields = Readonly<Record<string, unknown>>;

/** Reads what a statement says. Only its form is checked. */
function readCheck({ _type: type, predicateType, subject, predicate }: Fields): ReadCheck {
  if (type !== statementType || predicateType !== testResult)
    throw malformed(statementMessages.otherPredicate(String(predicateType).slice(0, 200), testResult));
  const [first, ...others] = Array.isArray(subject) ? (subject as readonly unknown[]) : [];
  const commit = fieldsOf(fieldsOf(first)['digest'])['gitCommit'];
  const { result, configuration, workflowlookup } = fieldsOf(predicate);
  const { check, ranAt, session, run } = fieldsOf(workflowlookup);
  const [file] = Array.isArray(configuration) ? (configuration as readonly unknown[]) : [];
  const checks = fieldsOf(fieldsOf(file)['digest'])['sha256'];
  const found = picked(run, findingsTests) as CheckFindings | undefined;
  if (
    found === undefined ||
    others.length > 0 ||
    !isText(check, /^.{1,64}$/) ||
    !isText(commit, /^[0-9a-f]{40}([0-9a-f]{24})?$/) ||
    !isText(checks, /^[0-9a-f]{64}$/) ||
    !isText(ranAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/) ||
    Number.isNaN(Date.parse(ranAt)) ||
    !(session === undefined || isText(session, /^.{1,200}$/)) ||
    !(result === 'PASSED' || result === 'FAILED')
  )
    throw malformed(statementMessages.notAStatement());
  return {
    check,
    commit,
    // In one form, so that times can be compared as texts.
    ranAt: new Date(ranAt).toISOString(),
    checksDigest: `sha256:${checks}`,
    ...(session !== undefined && { session }),
    found: { ...found, check },
    isFailed: result === 'FAILED',
  };
}

function resultOf(
  found: CheckFindings,
  {
    evidence,
    before,
    isFailed,
    acceptWith,
  }: {
    readonly evidence: CheckEvidence;
    readonly before: number | undefined;
    readonly isFailed: boolean;
    readonly acceptWith: string;
  },
): EvidenceResult {
  const judged = judgeRun(found, evidence, before === undefined ? undefined : { run: before, acceptWith });
  // The signer may know of problems that are not in the fields, unless the step allows failures.
  const isUnexplained = isFailed && judged.length === 0 && (evidence.max_failures ?? 0) === 0;
  const reasons = isUnexplained ? [checkReasons.statedAsFailed()] : judged;
  return {
    ...shownFindings(found),
    kind: 'check',
    level: 'ci',
    outcome: reasons.length === 0 ? 'passed' : 'failed',
    reasons,
    ...(before === undefined ? {} : { testsBefore: before }),
  };
}

export function fieldsOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}

export function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

/** A test of a text or number, of the fields of an object, or of each item of a list. Fields with `?` may be absent. */
export type Test = ((value: unknown) => boolean) | readonly [Test] | { readonly [field: string]: Test };

export const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
export const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
export const isShort = (value: unknown): boolean => typeof value === 'string' && value.length <= 4096;
const areTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= 100 && value.every(isShort);

export const countTests: Test = { run: isCount, failed: isCount, skipped: isCount, failures: areTexts };

const findingsTests: Test = {
  ended: (value) =>
    ['itself', 'timeout', 'cancelled', 'too-much-output', 'not-started'].includes(String(value)),
  'endedBy?': isShort,
  timeout: isShort,
  reportProblems: areTexts,
  'command?': isShort,
  'exitCode?': Number.isSafeInteger,
  'tests?': countTests,
  'errors?': isCount,
  'coverage?': isNumber,
  'durationMs?': isNumber,
  'output?': { digest: isShort, bytes: isCount, tail: isShort },
};

/** Returns a value that passes a test, without the fields that are not tested; `undefined` if it fails. */
export function picked(value: unknown, test: Test): unknown {
  if (typeof test === 'function') return test(value) ? value : undefined;
  if (isList(test)) {
    const items = Array.isArray(value) ? value.map((one) => picked(one, test[0])) : [undefined];
    return items.includes(undefined) ? undefined : items;
  }
  if (!isJsonObject(value)) return undefined;
  const fields: Record<string, unknown> = {};
  for (const [spelled, one] of Object.entries(test)) {
    const name = spelled.replace('?', '');
    if (spelled !== name && !Object.hasOwn(value, name)) continue;
    fields[name] = Object.hasOwn(value, name) ? picked(value[name], one) : undefined;
    if (fields[name] === undefined) return undefined;
  }
  return fields;
}

function isList(test: Test): test is readonly [Test] {
  return Array.isArray(test);
}
