import type { ReactNode } from 'react';
import type { RunRow } from '../contract.ts';
import { Tag } from './tone.tsx';

const doubts = {
  unsealed: 'not sealed',
  forged: 'forged',
  'unknown-key': 'sealed with an unknown key',
  unchecked: 'seal not checked',
} as const satisfies Readonly<Record<NonNullable<RunRow['unauthentic']>, string>>;

/** Why a run may not be what happened on this server; renders nothing for any other run. */
export function TrustTags({
  run: { unauthentic, imported },
}: {
  readonly run: Pick<RunRow, 'unauthentic' | 'imported'>;
}): ReactNode {
  return (
    <>
      {unauthentic !== undefined && <Tag tone="refused">{doubts[unauthentic]}</Tag>}
      {imported !== undefined && (
        <Tag tone={imported.isAuthentic ? 'skipped' : 'refused'}>
          {imported.isAuthentic ? 'imported' : 'imported, not authenticated'}
        </Tag>
      )}
    </>
  );
}
