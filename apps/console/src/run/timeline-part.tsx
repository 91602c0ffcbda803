import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { eventsQuery } from '../api/queries.ts';
import { Loaded } from '../parts/loaded.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { Moment } from '../parts/time-since.tsx';
import { ToneIcon } from '../parts/tone.tsx';
import { tellEvent } from './tell-event.ts';

/** The journal of a run, event by event. */
export function TimelinePart({ sid }: { readonly sid: string }): ReactNode {
  const query = useInfiniteQuery(eventsQuery(sid));
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <>
          <ol className="timeline card">
            {pages
              .flatMap(({ events }) => events)
              .map(({ revision, at, event }) => {
                const { tone, title, lines } = tellEvent(event);
                return (
                  <li key={revision} data-tone={tone}>
                    <ToneIcon tone={tone} size={16} />
                    <div className="stack-tight">
                      <span className="row-apart">
                        <strong>{title}</strong>
                        <span className="small muted">
                          {revision} · <Moment at={at} />
                        </span>
                      </span>
                      {lines.map((line) => (
                        <p key={line} className="small muted">
                          {line}
                        </p>
                      ))}
                    </div>
                  </li>
                );
              })}
          </ol>
          <MoreButton query={query}>Show later events</MoreButton>
        </>
      )}
    </Loaded>
  );
}
