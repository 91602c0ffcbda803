import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { memo } from 'react';
import type { RunRow } from '../contract.ts';
import { RunTag } from '../parts/run-tag.tsx';
import { runTitle } from '../parts/run-title.ts';
import { TimeSince } from '../parts/time-since.tsx';
import { TrustTags } from '../parts/trust-tags.tsx';

/** The cells of one run. */
export const RunsListRow = memo(function RunsListRow({ row }: { readonly row: RunRow }): ReactNode {
  const { sid, current, checkpoint, problem, progress, agent, updatedAt } = row;
  return (
    <>
      <span role="cell" className="runs-status">
        <RunTag run={row} />
      </span>
      <span role="cell" className="runs-name">
        <span className="row">
          <Link to="/runs/$sid" params={{ sid }}>
            {runTitle(row)}
          </Link>
          <TrustTags run={row} />
        </span>
        <code className="muted">{sid}</code>
      </span>
      <span role="cell" className="runs-at">
        {problem ?? checkpoint ?? current ?? <span className="muted">before the first</span>}
      </span>
      <span role="cell" className="runs-progress">
        <progress max={Math.max(progress.of, 1)} value={progress.done} aria-label="Progress" />
        <span className="small muted">
          {progress.done}/{progress.of}
        </span>
      </span>
      <span role="cell" className="runs-agent">
        {agent}
      </span>
      <span role="cell" className="runs-when muted">
        <TimeSince at={updatedAt} />
      </span>
    </>
  );
});
