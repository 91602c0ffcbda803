/** Returns the median of numbers. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[Math.floor(middle)];
}

/** @typedef {{ readonly min: number, readonly median: number }} Figures */

/**
 * Returns the figures of a series that the table shows.
 *
 * @returns {Figures}
 */
export function figuresOf(values) {
  return { min: Math.min(...values), median: median(values) };
}

/** Returns the median of the ratios of pairs that ran one after the other, because load then affects both of a pair. */
export function pairedRatio(ours, baseline) {
  return median(ours.map((value, at) => value / baseline[at]));
}
