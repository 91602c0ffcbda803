/** Revisions opened by `initialize`, ascending; exactly these are echoed. */
export const legacyVersions: readonly string[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

/** The one revision in which a client may send batches. */
export const batchVersion = '2025-03-26';

/** The key of `_meta` by which a request of 2026-07-28 and later says what it is. */
export const versionClaim = 'io.modelcontextprotocol/protocolVersion';
