import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunsPage } from '../contract.ts';
import { Tag } from '../parts/tone.tsx';

const number = new Intl.NumberFormat();

/** How many runs there are of each status, each number a link to them. */
export function Counts({ counts }: Pick<RunsPage, 'counts'>): ReactNode {
  return (
    <p className="row counts">
      <Link to="/runs" search={{ status: 'active' }}>
        <Tag tone="current">{number.format(counts.active)} active</Tag>
      </Link>
      <Link to="/runs" search={{ status: 'blocked' }}>
        <Tag tone="waits">{number.format(counts.blocked)} at a gate</Tag>
      </Link>
      <Link to="/runs" search={{ status: 'completed' }}>
        <Tag tone="done">{number.format(counts.completed)} completed</Tag>
      </Link>
    </p>
  );
}
