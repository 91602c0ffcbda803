import { useBlocker } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { useRef } from 'react';

/** Asks before a page with unsaved text is left; `isSaved` is set where that is no loss. */
export function useUnsaved(isUnsaved: boolean): RefObject<boolean> {
  const isSaved = useRef(false);
  useBlocker({
    // A dialog of the browser's own: it stands there too when the window is closed.
    shouldBlockFn: () =>
      isUnsaved && !isSaved.current && !globalThis.confirm('Leave without saving what you wrote?'),
    enableBeforeUnload: () => isUnsaved && !isSaved.current,
  });
  return isSaved;
}
