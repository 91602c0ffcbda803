import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunsPage } from '../contract.ts';
import { plural } from '../parts/plural.ts';
import { Tag } from '../parts/tone.tsx';

const shown = [
  { status: 'active', tone: 'current', word: 'active' },
  { status: 'blocked', tone: 'waits', word: 'at a gate' },
  { status: 'completed', tone: 'done', word: 'completed' },
] as const;

/** How many runs there are of each status, each number a link to them. */
export function Counts({ counts }: Pick<RunsPage, 'counts'>): ReactNode {
  return (
    <p className="row counts">
      {shown.map(({ status, tone, word }) => (
        <Link key={status} to="/runs" search={{ status }}>
          <Tag tone={tone}>{plural(counts[status], word, word)}</Tag>
        </Link>
      ))}
    </p>
  );
}
