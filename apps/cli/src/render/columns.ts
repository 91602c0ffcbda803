import stringWidth from 'string-width';
import { padColumns } from './pad-columns.ts';

/** Lines of cells, each column as wide as its widest cell on a terminal, the last as long as it is. */
export function columns(rows: readonly (readonly string[])[], indent = ''): string {
  return padColumns(rows, { widthOf: (cell) => stringWidth(cell), indent });
}
