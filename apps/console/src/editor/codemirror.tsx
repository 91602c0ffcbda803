import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { unifiedMergeView } from '@codemirror/merge';
import type { Extension } from '@codemirror/state';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { ReactNode, RefCallback } from 'react';
import { useCallback, useState } from 'react';
import type { DefinitionFile } from '../contract/index.ts';
import { editorMessages } from '../messages/workflows.ts';

/** A ref for the element of a code editor, and the editor once it is mounted. */
interface EditorHandle {
  readonly ref: RefCallback<HTMLDivElement>;
  readonly view: EditorView | undefined;
}

/**
 * Mounts a CodeMirror editor in a shadow tree. The content security policy of the page forbids style elements, but
 * allows the constructed style sheets that CodeMirror uses there. `doc` and `extensions` are read only when the
 * element is mounted.
 */
export function useCodeMirror(doc: string, extensions: () => Extension): EditorHandle {
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
    // The editor owns its text after mounting, so later values of `doc` must not recreate it.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return { ref, view };
}

/** Returns the language support for a notation. TOON and Markdown are shown as plain text. */
export function languageOf(notation: DefinitionFile['notation']): Extension {
  if (notation === 'json') return json();
  return notation === 'yaml' ? yaml() : [];
}

const colors = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--raised)', color: 'var(--text)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--muted)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLineGutter': { backgroundColor: 'var(--accent-soft)' },
  // The selection is painted below the line.
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 10%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 30%, transparent)',
  },
  '.cm-tooltip, .cm-panels': {
    border: '1px solid var(--line)',
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-diagnosticAction': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--done-soft) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--refused-soft) !important' },
  // The library's own mark is missing in many fonts.
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"…"' },
  '.cm-changedText, .cm-deletedText': {
    background: 'color-mix(in srgb, var(--accent) 10%, transparent) !important',
  },
});

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.content], color: 'var(--text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--waits)' },
  { tag: [tags.comment, tags.meta], color: 'var(--muted)' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--muted)' },
]);

/** The theme of the editor in the console's colours, light and dark. */
export const editorTheme: Extension = [colors, syntaxHighlighting(highlight)];

/** Renders the changes between two texts, line by line. */
export function DiffView({
  before,
  after,
  notation,
}: {
  readonly before: string;
  readonly after: string;
  readonly notation: DefinitionFile['notation'];
}): ReactNode {
  const { ref } = useCodeMirror(after, () => [
    lineNumbers(),
    EditorState.readOnly.of(true),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': editorMessages.changes, tabindex: '0' }),
    unifiedMergeView({
      original: before,
      mergeControls: false,
      collapseUnchanged: { margin: 3, minSize: 6 },
    }),
    languageOf(notation),
    editorTheme,
  ]);
  return <div className="editor editor-diff" ref={ref} />;
}
