import type { ReactNode } from 'react';
import type { RunRow } from '../contract.ts';
import { Tag } from './tone.tsx';

/** The status of a run as a word. */
export function RunTag({ run }: { readonly run: Pick<RunRow, 'status' | 'outcome' | 'problem'> }): ReactNode {
  if (run.problem !== undefined) return <Tag tone="refused">damaged</Tag>;
  if (run.outcome === 'abandoned') return <Tag tone="skipped">abandoned</Tag>;
  if (run.status === 'active') return <Tag tone="current">active</Tag>;
  if (run.status === 'blocked') return <Tag tone="waits">waits at a gate</Tag>;
  return <Tag tone="done">completed</Tag>;
}
