import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SessionListRow, SessionsReply } from '../contract.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { plural } from './format.ts';
import { Tag } from './tone.tsx';

const { status, authenticity, imported: importedTexts, counts } = sessionMessages;

export function SessionStatusTag({
  run,
}: {
  readonly run: Pick<SessionListRow, 'status' | 'outcome' | 'problem'>;
}): ReactNode {
  if (run.problem !== undefined) return <Tag tone="refused">{status.damaged}</Tag>;
  if (run.outcome === 'abandoned') return <Tag tone="skipped">{status.abandoned}</Tag>;
  if (run.status === 'active') return <Tag tone="current">{status.active}</Tag>;
  if (run.status === 'blocked') return <Tag tone="waits">{status.blocked}</Tag>;
  return <Tag tone="done">{status.completed}</Tag>;
}

/** Warns that the journal of a session may not be authentic. Renders nothing for an authentic session. */
export function AuthenticityTags({
  run: { unauthentic, imported },
}: {
  readonly run: Pick<SessionListRow, 'unauthentic' | 'imported'>;
}): ReactNode {
  return (
    <>
      {unauthentic !== undefined && <Tag tone="refused">{authenticity[unauthentic]}</Tag>}
      {imported !== undefined && (
        <Tag tone={imported.isAuthentic ? 'skipped' : 'refused'}>
          {imported.isAuthentic ? importedTexts.authentic : importedTexts.notAuthentic}
        </Tag>
      )}
    </>
  );
}

const shown = [
  { status: 'active', tone: 'current', word: counts.active },
  { status: 'blocked', tone: 'waits', word: counts.blocked },
  { status: 'completed', tone: 'done', word: counts.completed },
] as const;

export function StatusCounts({ counts: numbers }: Pick<SessionsReply, 'counts'>): ReactNode {
  return (
    <p className="row counts">
      {shown.map(({ status: shownStatus, tone, word }) => (
        <Link key={shownStatus} to="/runs" search={{ status: shownStatus }}>
          <Tag tone={tone}>{plural(numbers[shownStatus], word, word)}</Tag>
        </Link>
      ))}
    </p>
  );
}

export function sessionTitle({ title, workflowId }: Pick<SessionListRow, 'title' | 'workflowId'>): string {
  return title === '' ? workflowId : title;
}
