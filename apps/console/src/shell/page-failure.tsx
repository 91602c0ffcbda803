import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { reasonOf } from '../api/refusal.ts';
import { Notice } from '../parts/notice.tsx';

/** What stands in place of a page that failed: a part that could not be loaded, or a fault of ours. */
export function PageFailure({ error }: ErrorComponentProps): ReactNode {
  return (
    <Notice tone="refused" title="This page failed.">
      <p>{reasonOf(error)}</p>
      <div>
        <button type="button" className="button button-small" onClick={() => location.reload()}>
          Load the page anew
        </button>
      </div>
    </Notice>
  );
}
