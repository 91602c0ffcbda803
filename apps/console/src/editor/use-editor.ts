import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { RefCallback } from 'react';
import { useCallback, useState } from 'react';

/** A place for an editor, and the editor once it is there. */
export interface EditorPlace {
  readonly ref: RefCallback<HTMLDivElement>;
  readonly view: EditorView | undefined;
}

/**
 * Puts an editor into an element, in a shadow tree: there its rules are a style sheet made by a script, which the policy of
 * the page allows, and not an element, which it forbids. `doc` and `extensions` count when the element appears.
 */
export function useEditor(doc: string, extensions: () => Extension): EditorPlace {
  const [view, setView] = useState<EditorView>();
  const ref = useCallback((host: HTMLDivElement | null) => {
    if (host === null) return undefined;
    const parent = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const made = new EditorView({ doc, extensions: extensions(), parent });
    setView(made);
    return () => {
      setView(undefined);
      made.destroy();
    };
    // An editor keeps its own text: another one is another element.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return { ref, view };
}
