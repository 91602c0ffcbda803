/** Returns a count as a text for a table. */
export function countText(count) {
  return Math.round(count).toLocaleString('en');
}

/** Returns a size as a text for a table: in bytes, or in MB of a million bytes. */
export function bytesText(bytes) {
  return bytes < 1_000_000 ? `${countText(bytes)} bytes` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
