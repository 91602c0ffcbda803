import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { checksQuery } from '../api/queries.ts';
import { Notice } from '../components/notice.tsx';
import type { Evidence } from '../contract.ts';
import { workflowMessages } from '../messages/workflows.ts';

const { checks: messages } = workflowMessages;

/** Says that evidence could not be collected because nobody trusts the checks of the project, and leads to their review. */
export function UntrustedChecksNotice({
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
    <Notice tone="waits" title={messages.waiting[waiting.state === 'changed' ? 'changed' : 'untrusted']}>
      <p>
        <Link to="/checks" search={{ folder: waiting.folder }}>
          {messages.reviewThem}
        </Link>
      </p>
    </Notice>
  );
}
