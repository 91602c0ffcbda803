import type { RunRow } from '@workflowlookup/console/contract';
import type { Glance } from '@workflowlookup/core';

/** A run as a list shows it. */
export function runRow({ session, ...glance }: Glance): RunRow {
  const { hash: _hash, digest: _digest, ...row } = session;
  return { ...row, ...glance };
}
