const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

/** A span of milliseconds in its largest unit: `3 min ago`. */
export function agoText(spanMs: number): string {
  const seconds = Math.floor(spanMs / 1000);
  const unit = units.find(([, size]) => seconds >= size);
  if (unit !== undefined) return `${Math.floor(seconds / unit[1])} ${unit[0]} ago`;
  return seconds < 5 ? 'just now' : `${seconds} s ago`;
}
