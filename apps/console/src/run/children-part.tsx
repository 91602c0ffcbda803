import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Run } from '../contract.ts';
import { Empty } from '../parts/empty.tsx';
import { plural } from '../parts/plural.ts';
import { RunTag } from '../parts/run-tag.tsx';
import { TrustTags } from '../parts/trust-tags.tsx';

/** The runs that were started from a run, and who took part in it. */
export function ChildrenPart({ story }: Pick<Run, 'story'>): ReactNode {
  const { children, participants } = story;
  return (
    <>
      {children.length === 0 ? (
        <Empty title="No run was started from this one." />
      ) : (
        <ul className="card plan-list" aria-label="Children">
          {children.map((child) => (
            <li key={child.sid}>
              <Link to="/runs/$sid" params={{ sid: child.sid }}>
                {child.workflowId}
              </Link>
              <RunTag run={child} />
              <TrustTags run={child} />
            </li>
          ))}
        </ul>
      )}
      <h2>Who took part</h2>
      <ul className="card plan-list" aria-label="Who took part">
        {participants.map(({ id, kind, calls }) => (
          <li key={id}>
            <span>
              {id} <span className="muted">{kind}</span>
            </span>
            <span className="muted">{plural(calls, 'call')}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
