import type { BigIntStats } from 'node:fs';

/** A file system's clock may be this coarse: a file written so shortly before may be written again at the same time. */
const settlingMs = 100;

/**
 * Changes whenever a file's content may have: replaced (`ino`), written (times, size), or written with its time put
 * back (`ctime`). `''` for a file changed just now, which has to be read again before it can be called unchanged.
 */
export function signatureOf(
  { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats,
  nowMs: number = Date.now(),
): string {
  const isSettled = Math.abs(nowMs - Number(ctimeNs / 1_000_000n)) > settlingMs;
  return isSettled ? [dev, ino, size, mtimeNs, ctimeNs].join(':') : '';
}
