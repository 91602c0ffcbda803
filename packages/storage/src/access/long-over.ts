/** How far the clock of a server may be behind. */
const skewMs = 3_600_000;

/** The time before which a revoked id must have ended to be dropped. */
export function longOver(nowMs: number): string {
  return new Date(nowMs - skewMs).toISOString();
}
