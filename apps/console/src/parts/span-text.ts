const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** A span of seconds in its largest units, as many of them as are wanted: `2 h 5 min`. */
export function spanText(seconds: number, wanted = 2): string {
  const first = units.findIndex(([, size]) => seconds >= size);
  if (first === -1) return '0 s';
  let rest = Math.floor(seconds);
  const parts = units.slice(first, first + wanted).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return `${count} ${unit}`;
  });
  return parts.join(' ');
}
