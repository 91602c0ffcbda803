import type { StoreStanding, StoreWatch } from './store-watch.ts';

/** What readiness looks at. */
export interface ReadyParts {
  readonly store: Pick<StoreWatch, 'look'>;
  /** Whether the server is on its way out. */
  isDraining(): boolean;
}

/** Whether requests can be served, and what stands against it; the database is not looked at on the way out. */
export interface Readiness extends Partial<Omit<StoreStanding, 'ok'>> {
  readonly ok: boolean;
  readonly status: 'ready' | 'draining' | 'not_ready';
}

/** Looks whether the database takes what is written and the keys can be used; a server on its way out says so at once. */
export async function isReady({ store, isDraining }: ReadyParts): Promise<Readiness> {
  if (isDraining()) return { ok: false, status: 'draining' };
  const { ok, ...found } = await store.look();
  return { ok, status: ok ? 'ready' : 'not_ready', ...found };
}
