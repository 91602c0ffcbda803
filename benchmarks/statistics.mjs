/** The middle of some numbers; of an even count, the mean of the two in the middle. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[Math.floor(middle)];
}

/** @typedef {{ readonly min: number, readonly median: number }} Figures */

/**
 * What a table shows of a series.
 *
 * @returns {Figures}
 */
export function figuresOf(values) {
  return { min: Math.min(...values), median: median(values) };
}

/** The median of the ratios of neighbours: what disturbed a pair disturbed both of it. */
export function pairedRatio(ours, baseline) {
  return median(ours.map((value, at) => value / baseline[at]));
}
