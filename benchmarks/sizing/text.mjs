/** A count as a table shows it. */
export function countText(count) {
  return Math.round(count).toLocaleString('en');
}

/** A size as a table shows it: bytes, then MB of a million bytes. */
export function bytesText(bytes) {
  return bytes < 1_000_000 ? `${countText(bytes)} bytes` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
