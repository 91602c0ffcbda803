import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { checkpointsQuery } from '../api/queries.ts';
import { Loaded, MoreButton } from '../components/loading.tsx';
import { EmptyState } from '../components/notice.tsx';
import { checkpointMessages } from '../messages/checkpoints.ts';
import { Page } from '../shell/page.tsx';
import { CheckpointCard } from './checkpoint-card.tsx';
import { ClosedCheckpointNotice, checkpointKey, useClosedCheckpoints } from './closed-checkpoints.tsx';
import { NotificationSwitch } from './notifications.tsx';

const { page } = checkpointMessages;

/** Renders every checkpoint that needs an answer, and the ones closed while the page was open. */
export function CheckpointsPage(): ReactNode {
  const query = useInfiniteQuery(checkpointsQuery);
  const checkpoints = useMemo(() => query.data?.pages.flatMap(({ gates }) => gates) ?? [], [query.data]);
  const { waiting, closed, addClosed, dismiss } = useClosedCheckpoints(checkpoints, query.hasNextPage);
  return (
    <Page title={page.title} lead={page.lead} actions={<NotificationSwitch />}>
      {closed.map((one) => (
        <ClosedCheckpointNotice
          key={checkpointKey(one.checkpoint)}
          closed={one}
          onClose={() => dismiss(one)}
        />
      ))}
      <Loaded query={query}>
        {() =>
          waiting.length === 0 ? (
            <EmptyState title={page.empty}>
              <p>{page.emptyNext}</p>
            </EmptyState>
          ) : (
            <ul className="gates" aria-label={page.list}>
              {waiting.map((checkpoint) => (
                <li key={checkpointKey(checkpoint)}>
                  <CheckpointCard checkpoint={checkpoint} onClosed={addClosed} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <MoreButton query={query}>{page.more}</MoreButton>
    </Page>
  );
}
