import { commitAddress, evidenceTexts } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { formatDuration } from '../components/format.ts';
import { BulletList, FactGrid } from '../components/lists.tsx';
import type { Tone } from '../components/tags.tsx';
import { Tag } from '../components/tags.tsx';
import { TimeSince } from '../components/time.tsx';
import type { SessionDetail, Evidence } from '../contract/index.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';
import { nameOf } from '../sessions/session-names.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { checksQuery } from '../api/queries.ts';
import { Notice } from '../components/notice.tsx';
import { workflowMessages } from '../messages/workflows.ts';

const { checks: checkMessages } = workflowMessages;

const { collected } = checkpointMessages;

type SessionEvidence = NonNullable<SessionDetail['history']['evidence']>[number];

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

function CollectedItem({ one, name }: { readonly one: SessionEvidence; readonly name: string }): ReactNode {
  const { id, status, freshness, level, recorded, output } = one;
  const result = recorded?.result;
  return (
    <div className="stack-tight">
      <p className="row">
        <Tag tone={tones[status]}>{collected.status[status]}</Tag>
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
          <summary>{collected.details}</summary>
          {result.command !== undefined && isLong(result.command) && (
            <pre className="small" tabIndex={0} aria-label={collected.commandOf(id)}>
              {result.command}
            </pre>
          )}
          <FactGrid
            className="small"
            facts={{
              [collected.level]: collected.levelOf(result.level, level),
              [collected.files]: freshness && evidenceTexts.freshness[freshness],
              ...resultFacts(result),
            }}
          />
          {output !== undefined && (
            <>
              <p className="small">{collected.output}</p>
              <pre className="small" tabIndex={0} aria-label={collected.outputOf(id)}>
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
export function CommandLine({ command }: { readonly command: string }): ReactNode {
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

const mostLines = 20;

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-mostLines).join('\n');
}

/** Says that evidence could not be collected because nobody trusts the checks of the project, and leads to their review. */
function UntrustedChecksNotice({
  evidence,
  project,
}: {
  readonly evidence: Evidence['collected'];
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
