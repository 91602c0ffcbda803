/** Keeps callers from a server that does not answer. */
export interface ConnectBackoff {
  /** The failure that still counts, where it is too early to try again. */
  standing(): unknown;
  failed(failure: unknown): void;
  succeeded(): void;
}

/** How long to leave a server alone. */
export interface BackoffOptions {
  /** After the first failure; twice as long after each one more, */
  readonly firstMs: number;
  /** but no longer than this. */
  readonly mostMs: number;
}

/** Remembers failures to connect: for a while after one, every call meets the same failure at once. */
export function createConnectBackoff({ firstMs, mostMs }: BackoffOptions): ConnectBackoff {
  let failures = 0;
  let last: { readonly failure: unknown; readonly until: number } | undefined;
  return {
    standing: () => (last !== undefined && performance.now() < last.until ? last.failure : undefined),
    failed(failure) {
      const wait = Math.min(mostMs, firstMs * 2 ** failures);
      failures += 1;
      // So that replicas do not come back all at once.
      last = { failure, until: performance.now() + wait * (0.5 + Math.random() / 2) };
    },
    succeeded() {
      failures = 0;
      last = undefined;
    },
  };
}
