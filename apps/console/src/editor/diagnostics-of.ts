import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { Issue } from '@workflowlookup/schema';

/** Findings at their places in a text, each with a button where it can be put right for sure. */
export function diagnosticsOf(doc: Text, issues: readonly Issue[]): readonly Diagnostic[] {
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
            name: 'Put it right',
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

/** Lines and columns from 1; of what lies outside, the nearest place inside. */
export function offsetOf(doc: Text, line: number, column: number): number {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(found.from + Math.max(column - 1, 0), found.to);
}
