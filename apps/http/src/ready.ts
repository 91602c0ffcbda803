import type { StoreStanding, StoreWatch } from './store-watch.ts';

/** What readiness looks at. */
export interface ReadyParts {
  readonly store: Pick<StoreWatch, 'look'>;
  /** Whether the server is on its way out. */
  isDraining(): boolean;
}

/** Whether requests can be served, and if not, why. A server that is shutting down does not check the database. */
export interface Readiness extends Partial<Omit<StoreStanding, 'ok'>> {
  readonly ok: boolean;
  readonly status: 'ready' | 'draining' | 'not_ready';
}

/**
 * Checks whether the database accepts writes and the keys can be used; a server that is shutting down says so at once.
 */
export async function isReady({ store, isDraining }: ReadyParts): Promise<Readiness> {
  if (isDraining()) return { ok: false, status: 'draining' };
  const { ok, ...found } = await store.look();
  return { ok, status: ok ? 'ready' : 'not_ready', ...found };
}
