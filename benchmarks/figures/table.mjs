const headings = ['benchmark', 'what', 'baseline', 'ours', 'ratio', 'bound', 'holds'];

/**
 * Returns results as a Markdown table, with the notes below it.
 *
 * @param {readonly import('./result.mjs').Result[]} results
 */
export function formatTable(results) {
  const notes = results
    .filter(({ note }) => note !== undefined)
    .map(({ benchmark, what, note }) => `- \`${benchmark}\`, ${what}: ${note}`);
  return [layOut([headings, ...results.map(cellsOf)]), ...(notes.length === 0 ? [] : ['', ...notes])].join(
    '\n',
  );
}

/**
 * Returns lines of cells as a Markdown table. The first line is the heading.
 *
 * @param {readonly (readonly string[])[]} lines
 */
export function layOut(lines) {
  const widths = lines[0].map((_, at) => Math.max(...lines.map((cells) => cells[at].length)));
  const [first, ...rest] = lines.map(
    (cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`,
  );
  return [first, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rest].join('\n');
}

function cellsOf({ benchmark, what, unit, baseline, ours, ratio, bound, holds }) {
  return [
    `\`${benchmark}\``,
    what,
    baseline === undefined ? '' : figures(baseline, unit),
    figures(ours, unit),
    ratio === undefined ? '' : ratio.toFixed(2),
    bound,
    verdict(holds),
  ];
}

function verdict(holds) {
  if (holds === undefined) return '';
  return holds ? 'yes' : 'MISSED';
}

function figures({ min, median }, unit) {
  return min === median ? `${short(median)} ${unit}` : `${short(min)} / ${short(median)} ${unit}`;
}

function short(value) {
  if (Number.isInteger(value)) return value.toLocaleString('en');
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
}
