import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, foldGutter, indentOnInput } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import type { Extension } from '@codemirror/state';
import { EditorState } from '@codemirror/state';
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { Issue } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import type { DefinitionFile } from '../contract.ts';
import { completeBySchema } from './complete-by-schema.ts';
import { diagnosticsOf, offsetOf } from './diagnostics-of.ts';
import { editorLook } from './editor-look.ts';
import { languageOf } from './language-of.ts';
import { useEditor } from './use-editor.ts';

/** What a text editor shows and tells. */
export interface TextEditorProps {
  /** What it begins with. */
  readonly text: string;
  readonly file: DefinitionFile;
  readonly isReadOnly: boolean;
  readonly issues: readonly Issue[];
  /** The finding to go to; each time another object. */
  readonly place: Pick<Issue, 'line' | 'column'> | undefined;
  readonly onChange: (text: string) => void;
}

/** An editor for a definition, with its findings at their places. Tab leaves it, as everywhere on the page. */
export function TextEditor(props: TextEditorProps): ReactNode {
  const { text, issues, place } = props;
  const { ref, view } = useEditor(text, () => extensionsOf(props));
  useEffect(() => {
    if (view !== undefined) view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state.doc, issues)));
  }, [view, issues]);
  useEffect(() => {
    if (view === undefined || place === undefined) return;
    const anchor = offsetOf(view.state.doc, place.line, place.column);
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    view.focus();
  }, [view, place]);
  return <div className="editor" ref={ref} />;
}

function extensionsOf({ file: { file, notation }, isReadOnly, onChange }: TextEditorProps): Extension {
  return [
    lineNumbers(),
    foldGutter(),
    lintGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    EditorView.lineWrapping,
    autocompletion({ override: [completeBySchema(file, notation)] }),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap, ...completionKeymap]),
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({ 'aria-label': `Text of ${file}`, tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
    languageOf(notation),
    editorLook,
  ];
}
