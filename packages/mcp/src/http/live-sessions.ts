import type { LiveSession } from './live-session.ts';
import type { SessionFacts } from './session-pass.ts';

/** How long a session nobody uses stays live. */
const idleMs = 600_000;

/** The legacy sessions that are live on this replica; one that was forgotten comes alive again by its id. */
export class LiveSessions {
  readonly #sessions = new Map<string, { readonly session: LiveSession; usedMs: number }>();
  readonly #max: number;
  readonly #now: () => number;

  constructor(max: number, now: () => number) {
    this.#max = max;
    this.#now = now;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** The live session with these facts, made where there is none; `undefined` where there is no room. */
  enter({ id }: SessionFacts, make: () => LiveSession): LiveSession | undefined {
    const found = this.#sessions.get(id);
    const usedMs = this.#now();
    if (found === undefined && !this.#hasRoom(usedMs)) return undefined;
    const session = found?.session ?? make();
    // The one used last stands last.
    this.#sessions.delete(id);
    this.#sessions.set(id, { session, usedMs });
    return session;
  }

  /** Lets one go. */
  async leave(id: string): Promise<void> {
    const found = this.#sessions.get(id);
    this.#sessions.delete(id);
    await found?.session.close();
  }

  /** Lets all go. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.leave(id)));
  }

  /** Forgets the quiet ones that were not used for long, and where that is not enough, the one used least lately. */
  #hasRoom(nowMs: number): boolean {
    const quiet = [...this.#sessions].filter(([, { session }]) => session.isQuiet);
    const old = quiet.filter(([, { usedMs }]) => usedMs < nowMs - idleMs);
    const surplus = this.#sessions.size - this.#max + 1;
    for (const [id] of quiet.slice(0, Math.max(old.length, surplus))) void this.leave(id);
    return this.#sessions.size < this.#max;
  }
}
