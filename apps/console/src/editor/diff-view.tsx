import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import type { ReactNode } from 'react';
import type { DefinitionFile } from '../contract.ts';
import { editorMessages } from '../messages/editor.ts';
import { editorTheme, languageOf, useCodeMirror } from './codemirror.ts';

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
