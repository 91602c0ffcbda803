/** Revisions opened by `initialize`, ascending; exactly these are echoed. */
export const legacyVersions: readonly string[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

/** The one revision in which a client may send batches. */
export const batchVersion = '2025-03-26';

/** Messages that one batch may hold, on every wire. */
export const maxBatch = 100;

/** The first revision in which every request describes itself; later ones are dates too. */
export const firstModern = '2026-01-01';

/** The key of `_meta` by which a request of 2026-07-28 and later says what it is. */
export const versionClaim = 'io.modelcontextprotocol/protocolVersion';

/** The first revision whose streams begin with an event to come back to. */
export const streamsPrimed = '2025-11-25';
