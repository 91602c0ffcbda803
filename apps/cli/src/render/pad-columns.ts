import { plainLine } from '../plain-text.ts';

/** Lines of cells, which are made plain, each column as wide as its widest cell, the last as long as it is. */
export function padColumns(
  texts: readonly (readonly string[])[],
  { widthOf, indent = '' }: { widthOf(cell: string): number; readonly indent?: string },
): string {
  const rows = texts.map((row) => row.map(plainLine));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  }
  const pad = (cell: string, at: number): string =>
    cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)));
  return rows.map((row) => (indent + row.map(pad).join('  ')).trimEnd()).join('\n');
}
