import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The keys that were revoked, as this state directory recalls them: a database that is restored may have forgotten. */
export interface Revocations {
  /** When a key was revoked; `undefined` where nothing is known of it. */
  at(id: string): string | undefined;
  /** Recalls that a key was revoked. Throws what the system does. */
  add(id: string, at: string): void;
  ids(): readonly string[];
}

/** The name of the list in the state directory. */
export const revocationsFile = 'revoked-keys.jsonl';

/** Opens the list, a JSON object a line. Other processes may add to it: it is read again when it has changed. */
export function openRevocations(file: string): Revocations {
  let known = new Map<string, string>();
  let stamp = '';

  function current(): Map<string, string> {
    const stat = statSync(file, { throwIfNoEntry: false });
    const found = stat === undefined ? '' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
    if (found === stamp) return known;
    stamp = found;
    // A line that is cut off or foreign revokes nothing; those around it do.
    const lines = found === '' ? [] : readFileSync(file, 'utf8').split('\n').flatMap(readLine);
    // The first of several times is used. A revocation that this process knows stays, even if the file is removed.
    known = new Map([...lines.toReversed(), ...known]);
    return known;
  }

  return {
    at: (id) => current().get(id),
    add(id, at) {
      if (current().has(id)) return;
      known.set(id, at);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      appendFileSync(file, `${JSON.stringify({ id, at })}\n`, { mode: 0o600, flush: true });
    },
    ids: () => [...current().keys()],
  };
}

function readLine(line: string): readonly (readonly [string, string])[] {
  try {
    const { id, at } = JSON.parse(line) as { readonly id?: unknown; readonly at?: unknown };
    return typeof id === 'string' && typeof at === 'string' ? [[id, at]] : [];
  } catch {
    // A line that was cut off by a crash names no key.
    return [];
  }
}
