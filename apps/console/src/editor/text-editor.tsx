import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, foldGutter, indentOnInput } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import type { Extension, Text } from '@codemirror/state';
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
import type { DefinitionFile } from '../contract/index.ts';
import { editorMessages } from '../messages/workflows.ts';
import type { TextChange } from './add-question.ts';
import { editorTheme, languageOf, useCodeMirror } from './codemirror.tsx';
import { schemaCompletion } from './completion.ts';

export interface TextEditorProps {
  readonly text: string;
  readonly file: DefinitionFile;
  readonly isReadOnly: boolean;
  readonly issues: readonly Issue[];
  /** The issue to scroll to. A new object scrolls again. */
  readonly target: Pick<Issue, 'line' | 'column'> | undefined;
  /** The change to make. A new object makes another one. */
  readonly change: TextChange | undefined;
  readonly onChange: (text: string) => void;
}

/** Renders an editor for a definition with its issues in place. Tab leaves the editor, as everywhere on the page. */
export function TextEditor(props: TextEditorProps): ReactNode {
  const { text, issues, target, change } = props;
  const { ref, view } = useCodeMirror(text, () => extensionsOf(props));
  useEffect(() => {
    if (view !== undefined) view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state.doc, issues)));
  }, [view, issues]);
  useEffect(() => {
    if (view === undefined || target === undefined) return;
    const anchor = offsetOf(view.state.doc, target.line, target.column);
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    view.focus();
  }, [view, target]);
  useEffect(() => {
    if (view === undefined || change === undefined) return;
    const { from, insert, select } = change;
    view.dispatch({
      changes: { from, insert },
      selection: { anchor: select.from, head: select.to },
      effects: EditorView.scrollIntoView(select.from, { y: 'center' }),
      userEvent: 'input',
    });
    view.focus();
  }, [view, change]);
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
    autocompletion({ override: [schemaCompletion(file, notation)] }),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap, ...completionKeymap]),
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({ 'aria-label': editorMessages.text(file), tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
    languageOf(notation),
    editorTheme,
  ];
}

/** Converts issues to diagnostics of the editor. An issue with edits gets a button that applies them. */
function diagnosticsOf(doc: Text, issues: readonly Issue[]): readonly Diagnostic[] {
  return issues.map(({ line, column, severity, message, suggestion, edits = [] }) => {
    const from = offsetOf(doc, line, column);
    const to = Math.max(from, doc.lineAt(from).to);
    return {
      from,
      to,
      severity,
      message: suggestion === undefined ? message : `${message} ${suggestion}`,
      ...(edits.length > 0 && {
        actions: [
          {
            name: editorMessages.fix,
            apply: (view) => {
              const changes = edits.map(({ offset, length, text }) => ({
                from: offset,
                to: offset + length,
                insert: text,
              }));
              view.dispatch({ changes });
            },
          },
        ],
      }),
    };
  });
}

/** Returns the offset of a line and a column, both from 1. Positions outside the text are moved to its nearest end. */
function offsetOf(doc: Text, line: number, column: number): number {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(found.from + Math.max(column - 1, 0), found.to);
}
