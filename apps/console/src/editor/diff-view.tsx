import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import type { ReactNode } from 'react';
import type { DefinitionFile } from '../contract.ts';
import { editorLook } from './editor-look.ts';
import { languageOf } from './language-of.ts';
import { useEditor } from './use-editor.ts';

/** What saving would change, line by line. */
export function DiffView({
  before,
  after,
  notation,
}: {
  readonly before: string;
  readonly after: string;
  readonly notation: DefinitionFile['notation'];
}): ReactNode {
  const { ref } = useEditor(after, () => [
    lineNumbers(),
    EditorState.readOnly.of(true),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': 'Changes', tabindex: '0' }),
    unifiedMergeView({
      original: before,
      mergeControls: false,
      collapseUnchanged: { margin: 3, minSize: 6 },
    }),
    languageOf(notation),
    editorLook,
  ]);
  return <div className="editor editor-diff" ref={ref} />;
}
