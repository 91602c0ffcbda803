import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { commitAddress, evidenceTexts } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { checksQuery } from '../api/queries.ts';
import { formatDuration } from '../components/format.ts';
import { BulletList, FactGrid } from '../components/lists.tsx';
import { Notice } from '../components/notice.tsx';
import type { Tone } from '../components/tags.tsx';
import { SessionLink, Tag } from '../components/tags.tsx';
import { TimeSince } from '../components/time.tsx';
import { OutputView, VariableChangesTable } from '../components/values.tsx';
import type { Evidence, SessionOutput, WaitingCheckpoint } from '../contract/index.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';
import { workflowMessages } from '../messages/workflows.ts';
import { nameOf } from '../sessions/session-names.ts';

const { checks: checkMessages } = workflowMessages;
const { collected: collectedTexts, evidence: messages, proof: proofTexts } = checkpointMessages;

/**
 * Renders what a person needs to decide: the evidence that the server collected, the latest output of each step, and the
 * changed variables. The newest outputs come first and are open.
 */
export function EvidenceSections({ checkpoint }: { readonly checkpoint: WaitingCheckpoint }): ReactNode {
  const { session, question, names } = checkpoint;
  const { collected, outputs, variables } = checkpoint.evidence;
  const latest = latestOutputs(outputs)
    .toReversed()
    .toSorted((one, other) => other.revision - one.revision);
  const newest = latest[0]?.revision;
  return (
    <>
      <CollectedEvidence evidence={collected} names={names} project={session.project} />
      {latest.length === 0 && variables.length === 0 ? (
        <p className="small muted">{messages.none}</p>
      ) : (
        <section className="evidence stack" aria-label={messages.title}>
          <h3>{messages.title}</h3>
          {latest.map((output) => (
            <details key={`${output.revision} ${output.step}`} open={output.revision === newest}>
              <summary>
                {nameOf(names, output.step)}
                {output.activity !== output.step && messages.of(nameOf(names, output.activity))}
              </summary>
              {output.refusedBefore !== undefined && (
                <p className="small">
                  {messages.refusedBefore(output.refusedBefore)}{' '}
                  <SessionLink
                    sid={question.sid}
                    search={{ tab: 'timeline', show: 'refused', activity: output.activity }}
                  >
                    {messages.seeRefused}
                  </SessionLink>
                </p>
              )}
              <OutputView
                output={output}
                before={
                  outputs.find((one) => one.revision < output.revision && stepKey(one) === stepKey(output))
                    ?.output
                }
              />
            </details>
          ))}
          {variables.length > 0 && (
            <details>
              <summary>{messages.variables}</summary>
              <VariableChangesTable changes={variables} />
            </details>
          )}
        </section>
      )}
    </>
  );
}

/** Returns the latest output of each step, from outputs that are sorted newest first. */
function latestOutputs(outputs: readonly SessionOutput[]): readonly SessionOutput[] {
  return outputs.filter((one, at) => outputs.findIndex((other) => stepKey(other) === stepKey(one)) === at);
}

function stepKey({ activity, step }: SessionOutput): string {
  return `${activity} ${step}`;
}

type SessionEvidence = Evidence['collected'][number];

type Result = NonNullable<SessionEvidence['recorded']>['result'];

/** Renders the evidence that the server collected, with its status at this moment. Renders nothing without evidence. */
export function CollectedEvidence({
  evidence = [],
  names,
  project,
  heading: Heading = 'h3',
}: {
  readonly evidence?: readonly SessionEvidence[];
  readonly heading?: 'h2' | 'h3';
  /** The names of activities and steps, by id. */
  readonly names: Readonly<Record<string, string>>;
  /** The folder in which the session was started, if that is known. */
  readonly project: string | undefined;
}): ReactNode {
  const title = useId();
  if (evidence.length === 0) return null;
  return (
    <section className="evidence stack" aria-labelledby={title}>
      <Heading id={title}>{evidenceTexts.title}</Heading>
      <UntrustedChecksNotice evidence={evidence} project={project} />
      <ul className="collected stack">
        {evidence.map((one) => (
          <li key={`${one.activity} ${one.id}`}>
            <CollectedItem one={one} name={nameOf(names, one.activity)} />
          </li>
        ))}
      </ul>
      {evidence.some(({ status }) => status === 'not-configured') && (
        <p className="small muted">{evidenceTexts.canBeConfigured}</p>
      )}
    </section>
  );
}

/** Says that evidence could not be collected because nobody trusts the checks of the project, and leads to their review. */
function UntrustedChecksNotice({
  evidence,
  project,
}: {
  readonly evidence: readonly SessionEvidence[];
  /** The folder in which the session was started, if that is known. */
  readonly project: string | undefined;
}): ReactNode {
  const lacking = evidence.filter(
    ({ status, recorded }) => status === 'failed' && recorded?.result.check !== undefined,
  );
  const { data } = useQuery({ ...checksQuery, enabled: lacking.length > 0 });
  if (data === undefined || lacking.length === 0) return null;
  const folders = new Set(lacking.map(({ recorded }) => recorded?.folder ?? project ?? data.folder));
  const waiting = data.projects.find(
    ({ folder, state }) => folders.has(folder) && (state === 'untrusted' || state === 'changed'),
  );
  if (waiting === undefined) return null;
  return (
    <Notice tone="waits" title={checkMessages.waiting[waiting.state === 'changed' ? 'changed' : 'untrusted']}>
      <p>
        <Link to="/checks" search={{ folder: waiting.folder }}>
          {checkMessages.reviewThem}
        </Link>
      </p>
    </Notice>
  );
}

const tones: Readonly<Record<SessionEvidence['status'], Tone>> = {
  passed: 'done',
  claimed: 'skipped',
  'not-configured': 'skipped',
  missing: 'waits',
  failed: 'refused',
  stale: 'waits',
  weak: 'waits',
  unseen: 'waits',
};

function CollectedItem({ one, name }: { readonly one: SessionEvidence; readonly name: string }): ReactNode {
  const { id, status, freshness, level, recorded, output } = one;
  const result = recorded?.result;
  return (
    <div className="stack-tight">
      <p className="row">
        <Tag tone={tones[status]}>{collectedTexts.status[status]}</Tag>
        <code>{id}</code>
        <span className="small muted">{name}</span>
        {recorded !== undefined && (
          <span className="small muted">
            <TimeSince at={recorded.result.collectedAt ?? recorded.at} />
          </span>
        )}
      </p>
      {result?.command !== undefined && <CommandLine command={result.command} />}
      <BulletList lines={result?.reasons ?? []} className="small" />
      {result !== undefined && (
        <details open={status === 'failed'}>
          <summary>{collectedTexts.details}</summary>
          {result.command !== undefined && isLong(result.command) && (
            <pre className="small" tabIndex={0} aria-label={collectedTexts.commandOf(id)}>
              {result.command}
            </pre>
          )}
          <FactGrid
            className="small"
            facts={{
              [collectedTexts.level]: collectedTexts.levelOf(result.level, level),
              [collectedTexts.files]: freshness && evidenceTexts.freshness[freshness],
              ...resultFacts(result),
            }}
          />
          {output !== undefined && (
            <>
              <p className="small">{collectedTexts.output}</p>
              <pre className="small" tabIndex={0} aria-label={collectedTexts.outputOf(id)}>
                {lastLines(output)}
              </pre>
            </>
          )}
        </details>
      )}
    </div>
  );
}

/** Returns whether a command may not fit into one line. */
function isLong(command: string): boolean {
  return command.length > 40 || command.includes('\n');
}

/** Renders the first line of a command. What does not fit is cut off: the details of the evidence have all of it. */
function CommandLine({ command }: { readonly command: string }): ReactNode {
  const [first, ...more] = command.split('\n');
  return (
    <code className="command-line one-line">
      {first}
      {more.length > 0 && ' …'}
    </code>
  );
}

function resultFacts(result: Result): Readonly<Record<string, ReactNode>> {
  const { check, command, exitCode, tests, testsBefore, errors, coverage, durationMs } = result;
  const { commit, tree, paths, base, repository, touched, by } = result;
  const { facts } = evidenceTexts;
  return {
    [facts.check]: command === undefined ? check : undefined,
    [facts.exitCode]: exitCode,
    [facts.tests]: tests && evidenceTexts.tests(tests, testsBefore),
    [facts.errors]: errors,
    [facts.coverage]: coverage === undefined ? undefined : `${coverage} %`,
    [facts.duration]: durationMs === undefined ? undefined : durationText(durationMs),
    [facts.commit]: commit && <Commit id={commit} tree={tree} repository={repository} />,
    [facts.paths]: paths?.join(', '),
    [facts.base]: base && <Commit id={base} repository={repository} />,
    [facts.touched]: touched?.join(', '),
    [facts.by]: by,
  };
}

/** Renders a commit, with a link to its page. A tree that differs from it has uncommitted changes. */
function Commit({
  id,
  tree,
  repository,
}: {
  readonly id: string;
  readonly tree?: string | undefined;
  readonly repository: string | undefined;
}): ReactNode {
  const address = commitAddress(repository, id);
  const name = <code title={id}>{id.slice(0, 12)}</code>;
  return (
    <>
      {address === undefined ? (
        name
      ) : (
        <a href={address} target="_blank" rel="noopener noreferrer">
          {name}
        </a>
      )}
      {tree !== undefined && !tree.startsWith('commit:') && evidenceTexts.uncommitted}
    </>
  );
}

function durationText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : formatDuration(ms / 1000);
}

const mostLines = 20;

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-mostLines).join('\n');
}

/** Renders in one line what is proved and what is only claimed, beside the options that it is about. */
export function ProofSummary({ evidence }: { readonly evidence: Evidence }): ReactNode {
  const { proved, notProved, claimed, outputs } = proofOf(evidence);
  const claims = [...claimed, ...(outputs === 0 ? [] : [proofTexts.outputs(outputs)])];
  return (
    <p className="proof small" role="group" aria-label={proofTexts.title}>
      <span>
        {proved.length === 0 ? (
          <Tag tone="skipped">{proofTexts.nothing}</Tag>
        ) : (
          <>
            <Tag tone="done">{proofTexts.proved}</Tag> <EvidenceNames evidence={proved} />
          </>
        )}
      </span>
      {notProved.length > 0 && (
        <span>
          <Tag tone="waits">{proofTexts.notProved}</Tag> <EvidenceNames evidence={notProved} />
        </span>
      )}
      {claims.length > 0 && (
        <span>
          <Tag tone="skipped">{proofTexts.claimed}</Tag> {claims.join(', ')}
        </span>
      )}
    </p>
  );
}

/** Renders the ids of evidence, each with the command that the server ran. */
function EvidenceNames({ evidence }: { readonly evidence: readonly ProvedEvidence[] }): ReactNode {
  return evidence.map(({ id, command }) => (
    <span key={id} className="proof-name">
      {id} {command !== undefined && <CommandLine command={command} />}
    </span>
  ));
}

/** What is known about the work before a checkpoint: its evidence, and the number of outputs. */
interface Proof {
  readonly proved: readonly ProvedEvidence[];
  /** It failed, is missing, is too weak, or may no longer hold. */
  readonly notProved: readonly ProvedEvidence[];
  /** Nothing but the agent vouches for it. */
  readonly claimed: readonly string[];
  readonly outputs: number;
}

/** Evidence by its id, and the command that the server ran for it, if there was one. */
interface ProvedEvidence {
  readonly id: string;
  readonly command: string | undefined;
}

/** Tells what the server proved from what only the agent says. Every output is a claim of the agent. */
export function proofOf({ collected, outputs }: Evidence): Proof {
  const found = (matches: (status: SessionEvidence['status']) => boolean) =>
    collected
      .filter(({ status }) => matches(status))
      .map(({ id, recorded }): ProvedEvidence => ({ id, command: recorded?.result.command }));
  const isClaimed = (status: string): boolean => status === 'claimed' || status === 'not-configured';
  return {
    proved: found((status) => status === 'passed'),
    notProved: found((status) => status !== 'passed' && !isClaimed(status)),
    claimed: found(isClaimed).map(({ id }) => id),
    outputs: latestOutputs(outputs).filter(({ output }) => output !== '').length,
  };
}
