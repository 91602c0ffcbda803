import { figuresOf, pairedRatio } from './statistics.mjs';

/**
 * One row of the table.
 *
 * @typedef {object} Result
 * @property {string} [benchmark] the name of the benchmark that returned it; `main.mjs` adds this
 * @property {string} what
 * @property {string} unit
 * @property {import('./statistics.mjs').Figures} [baseline]
 * @property {import('./statistics.mjs').Figures} ours
 * @property {number} [ratio]
 * @property {string} bound empty if the figure is only for information
 * @property {boolean} [holds] absent if there is no bound
 * @property {boolean} exact whether the figure is the same on every machine, so that a missed bound is an error
 * @property {string} [note]
 */

/**
 * Compares our series with that of the baseline. `atMost` is the highest allowed ratio. Without it, the row is only for
 * information.
 *
 * @returns {Result}
 */
export function compare(what, { unit, ours, baseline, atMost, note }) {
  const ratio = pairedRatio(ours, baseline);
  return {
    what,
    unit,
    baseline: figuresOf(baseline),
    ours: figuresOf(ours),
    ratio,
    ...(atMost === undefined ? { bound: '' } : { bound: `≤ ${atMost} ×`, holds: ratio <= atMost }),
    exact: false,
    ...(note === undefined ? {} : { note }),
  };
}

/**
 * Like `compare`, but with a lower bound for the ratio, for figures where more is better.
 *
 * @returns {Result}
 */
export function compareAtLeast(what, { atLeast, ...series }) {
  const row = compare(what, series);
  return { ...row, bound: `≥ ${atLeast} ×`, holds: row.ratio >= atLeast };
}

/**
 * Returns a row for a figure that is the same on every machine.
 *
 * @returns {Result}
 */
export function exactly(what, { unit, value, bound, holds, note }) {
  const ours = { min: value, median: value };
  return {
    what,
    unit,
    ours,
    bound: bound ?? '',
    ...(holds === undefined ? {} : { holds }),
    exact: true,
    ...(note === undefined ? {} : { note }),
  };
}

/**
 * Returns a row for a series without a baseline and a bound.
 *
 * @returns {Result}
 */
export function informative(what, { unit, ours, note }) {
  return {
    what,
    unit,
    ours: figuresOf(ours),
    bound: '',
    exact: false,
    ...(note === undefined ? {} : { note }),
  };
}
