import { useCallback, useEffect, useState } from 'react';
import type { CheckpointListRow } from '../contract.ts';
import type { StableList } from './inbox-order.ts';
import { emptyList, keepStable, refreshList } from './inbox-order.ts';

/** Returns the list as it is on the screen, and a function that lets new rows in and answered ones out. */
export function useStableList(waiting: readonly CheckpointListRow[]): {
  readonly list: StableList;
  readonly refresh: () => void;
} {
  const [list, setList] = useState(() => keepStable(emptyList, waiting));
  useEffect(() => setList((before) => keepStable(before, waiting)), [waiting]);
  return { list, refresh: useCallback(() => setList(refreshList), []) };
}
