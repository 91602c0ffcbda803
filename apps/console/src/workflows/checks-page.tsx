import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { writeOutHidden } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { lazy, Suspense } from 'react';
import { callApi } from '../api/client.ts';
import { checksQuery } from '../api/queries.ts';
import { Button, CopyButton } from '../components/controls.tsx';
import { EmptyState, Loaded, ErrorNotice } from '../components/notice.tsx';
import { Tag } from '../components/tags.tsx';
import { Moment } from '../components/time.tsx';
import type { ProjectChecksList, ProjectWithChecks } from '../contract/index.ts';
import { workflowMessages } from '../messages/workflows.ts';
import { Page } from '../shell/page.tsx';

const { checks: messages } = workflowMessages;

const route = getRouteApi('/checks');

/** Loaded on first use, because the editor in it is large and seldom needed. */
const ChecksDialog = lazy(async () => ({ default: (await import('./trust-dialogs.tsx')).ChecksDialog }));

/** Renders the projects with checks, and lets a person trust these or withdraw the trust. */
export function ChecksPage(): ReactNode {
  const query = useQuery(checksQuery);
  const { folder } = route.useSearch();
  const navigate = route.useNavigate();
  const open = (next: string | undefined): void =>
    void navigate({ search: next === undefined ? {} : { folder: next }, replace: true });
  return (
    <Page title={messages.title} lead={messages.lead}>
      <Loaded query={query}>{(list) => <ChecksContent list={list} onReview={open} />}</Loaded>
      {folder !== undefined && query.data?.mayTrust === true && (
        <Suspense>
          <ChecksDialog folder={folder} onClose={() => open(undefined)} />
        </Suspense>
      )}
    </Page>
  );
}

function ChecksContent({
  list: { runsChecks, mayTrust, projects, folder = '' },
  onReview,
}: {
  readonly list: ProjectChecksList;
  readonly onReview: (folder: string) => void;
}): ReactNode {
  if (!runsChecks) return <EmptyState title={messages.runsNone}>{messages.runsNoneReason}</EmptyState>;
  if (!mayTrust) return <EmptyState title={messages.notAllowed}>{messages.notAllowedReason}</EmptyState>;
  if (projects.length === 0)
    return <EmptyState title={messages.empty}>{messages.emptyNext(writeOutHidden(folder))}</EmptyState>;
  return (
    <ul className="stack" aria-label={messages.title}>
      {projects.map((project) => (
        <ProjectCard key={project.folder} project={project} onReview={() => onReview(project.folder)} />
      ))}
    </ul>
  );
}

const tones = { trusted: 'done', untrusted: 'waits', changed: 'waits', missing: 'skipped' } as const;

function ProjectCard({
  project: { folder, state, sessions, trusted },
  onReview,
}: {
  readonly project: ProjectWithChecks;
  readonly onReview: () => void;
}): ReactNode {
  const name = writeOutHidden(folder);
  return (
    <li className="card stack-tight">
      <p className="row">
        <Tag tone={tones[state]}>{messages.states[state]}</Tag>
        <code>{name}</code>
        <CopyButton text={folder} label={messages.copyFolder(name)} />
      </p>
      <p className="small muted">
        {messages.sessions(sessions)}
        {trusted !== undefined && (
          <>
            {messages.trustedBy(trusted.by)} <Moment at={trusted.at} />
          </>
        )}
      </p>
      <div>
        {state === 'missing' ? (
          <WithdrawButton folder={folder} />
        ) : (
          <Button aria-label={messages.reviewOf(name)} onClick={onReview}>
            {messages.review}
          </Button>
        )}
      </div>
    </li>
  );
}

/** Withdraws the trust in a file that no longer exists, so there is nothing to show first. */
function WithdrawButton({ folder }: { readonly folder: string }): ReactNode {
  const client = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () => callApi('POST /checks/distrust', { body: { folder } }),
    onSuccess: () => client.invalidateQueries(checksQuery),
  });
  return (
    <>
      <ErrorNotice title={messages.notWithdrawn} error={withdraw.error} />
      <Button disabled={withdraw.isPending} onClick={() => withdraw.mutate()}>
        {messages.withdraw}
      </Button>
    </>
  );
}
