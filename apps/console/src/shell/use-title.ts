import { useEffect } from 'react';

/** Says in the window which page is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · workflowlookup`;
  }, [title]);
}
