/** A moment as people read it, in UTC: `2026-03-01 10:00:05`. */
export function momentText(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ');
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** How long it was from one moment to another, in its two largest units: `2 h 5 min`. */
export function spanText(fromIso: string, toIso: string): string {
  let left = Math.max(0, Math.round((Date.parse(toIso) - Date.parse(fromIso)) / 1000));
  const parts: string[] = [];
  for (const [unit, seconds] of units) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}
