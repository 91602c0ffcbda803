const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a duration with its largest units, without those that are zero: `2 h 5 min`, `2 h`, `40 ms`. */
export function formatDuration(seconds: number, wanted = 2): string {
  const first = units.findIndex(([, size]) => seconds >= size);
  if (first === -1) return seconds > 0 ? `${Math.max(1, Math.floor(seconds * 1000))} ms` : '0 s';
  let rest = Math.floor(seconds);
  const parts = units.slice(first, first + wanted).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter(Boolean).join(' ');
}

let withSeparators: Intl.NumberFormat | undefined;

/** Formats a number with the separators of the user's locale: `2,300`. */
export function formatNumber(value: number): string {
  // Such a number has no separators, and the first formatter of a page takes a browser 50 ms and more.
  if (Number.isInteger(value) && value >= 0 && value < 1000) return String(value);
  withSeparators ??= new Intl.NumberFormat();
  return withSeparators.format(value);
}

/** Formats a count and its noun: `1 file`, `2 files`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** Formats an estimate with no more digits than are known: `2,300`. */
export function formatEstimate(count: number): string {
  return formatNumber(Number(count.toPrecision(2)));
}

/** Formats a share, or a dash if there is nothing to divide by. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
}

/** Returns a text, cut off after the given number of characters. */
export function truncate(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
