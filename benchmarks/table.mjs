const headings = ['what', 'baseline', 'ours', 'ratio', 'bound', 'holds'];

/**
 * Results as a table in Markdown; notes come below it.
 *
 * @param {readonly import('./result.mjs').Result[]} results
 */
export function formatTable(results) {
  const lines = [headings, ...results.map(cellsOf)];
  const widths = headings.map((_, at) => Math.max(...lines.map((cells) => cells[at].length)));
  const layOut = (cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const [first, ...rest] = lines.map(layOut);
  const notes = results
    .filter(({ note }) => note !== undefined)
    .map(({ what, note }) => `- ${what}: ${note}`);
  return [first, rule, ...rest, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n');
}

function cellsOf({ what, unit, baseline, ours, ratio, bound, holds }) {
  return [
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
