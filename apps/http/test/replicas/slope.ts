/** A point of a line. */
export type Point = readonly [x: number, y: number];

/**
 * Returns the slope of a line through points: the median of the slopes between any two of them (Theil-Sen estimator),
 * which outliers hardly affect.
 */
export function slopeOf(points: readonly Point[]): number {
  const slopes = points.flatMap(([x, y], index) =>
    points.slice(index + 1).map(([otherX, otherY]) => (otherY - y) / (otherX - x)),
  );
  return median(slopes);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
