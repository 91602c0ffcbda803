import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { gatesQuery } from '../api/queries.ts';
import { Empty } from '../parts/empty.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { Page } from '../shell/page.tsx';
import { GateCard } from './gate-card.tsx';
import { NotifySwitch } from './notify-switch.tsx';
import { keyOf } from './settled.ts';
import { SettledNotice } from './settled-notice.tsx';
import { useSettled } from './use-settled.ts';

/** Every checkpoint that waits, and what became of those that did. */
export function GatesPage(): ReactNode {
  const query = useInfiniteQuery(gatesQuery);
  const gates = useMemo(() => query.data?.pages.flatMap((page) => page.gates) ?? [], [query.data]);
  const { waiting, settled, settle, forget } = useSettled(gates, query.hasNextPage);
  return (
    <Page title="Gates" lead="Checkpoints where an agent waits for an answer." actions={<NotifySwitch />}>
      {settled.map((one) => (
        <SettledNotice key={keyOf(one.gate)} settled={one} onClose={() => forget(one)} />
      ))}
      <Loaded query={query}>
        {() =>
          waiting.length === 0 ? (
            <Empty title="Nothing waits for you.">
              <p>A checkpoint appears here as soon as an agent stops at it.</p>
            </Empty>
          ) : (
            <ul className="gates" aria-label="Waiting checkpoints">
              {waiting.map((gate) => (
                <li key={keyOf(gate)}>
                  <GateCard gate={gate} onSettled={settle} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <MoreButton query={query}>Show more</MoreButton>
    </Page>
  );
}
