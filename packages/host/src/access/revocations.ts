import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KeyRing } from '@workflowlookup/core/tokens';
import type { KeyRingOptions, SealStatus, SealedRecord } from './token-keys.ts';
import { hasTokenKeys, loadKeyRing, sealRecord, sealStatus } from './token-keys.ts';

/** The record of a revoked key in a state directory. */
interface Revocation {
  /** ISO 8601. */
  readonly at: string;
  /** `unsealed`: an older release wrote it, or somebody without the keys. The key is refused here, but the database isn't changed. */
  readonly seal: SealStatus;
}

/** The keys that were revoked, as this state directory recalls them: a database that is restored may have forgotten. */
interface Revocations {
  /** `undefined` where nothing is known of the key. */
  find(id: string): Revocation | undefined;
  /** Recalls that a key was revoked. Throws what the system does. */
  add(id: string, at: string): void;
  /** Takes from other users what they may do with the list. Throws what the system does. */
  keepPrivate(): void;
  /** Ids of the keys that only unsealed lines name. */
  unsealed(): readonly string[];
}

/** The name of the list in the state directory. */
export const revocationsFile = 'revoked-keys.jsonl';

/** Ids of keys in the list whose lines these token keys did not seal. Empty if there are no token keys. @throws STORE_UNAVAILABLE, and system errors */
export function unsealedRevocations(place: KeyRingOptions): readonly string[] {
  if (!hasTokenKeys(place)) return [];
  const ring = loadKeyRing(place);
  return openRevocations(join(place.stateDirectory, revocationsFile), () => ring).unsealed();
}

/**
 * Opens the list, a JSON object a line. Other processes may add to it: it is read again when it has changed. Each line is
 * sealed with the signing key of the ring, so that nobody without it can have a key revoked in the database.
 */
export function openRevocations(file: string, ring: () => KeyRing | undefined): Revocations {
  let known = new Map<string, Revocation>();
  let stamp = '';

  function current(): ReadonlyMap<string, Revocation> {
    const stat = statSync(file, { throwIfNoEntry: false });
    const keys = ring();
    const found =
      stat === undefined ? '' : [stat.ino, stat.size, stat.mtimeMs, keys?.signing.id ?? ''].join(':');
    if (found === stamp) return known;
    stamp = found;
    // A revocation that this process knows stays, even if the file is removed.
    if (found !== '') known = new Map([...known, ...readLines(readFileSync(file, 'utf8'), keys)]);
    return known;
  }

  function add(id: string, at: string): void {
    const keys = ring();
    const found = current().get(id);
    if (found?.seal === 'sealed' || (found !== undefined && keys === undefined)) return;
    known.set(id, { at, seal: keys === undefined ? 'unsealed' : 'sealed' });
    const { ringKey: key, mac } = keys === undefined ? {} : sealRecord(keys, sealedPart(id, at));
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const line = `${JSON.stringify({ id, at, key, mac })}\n`;
    appendFileSync(file, isCutOff(file) ? `\n${line}` : line, { mode: 0o600, flush: true });
  }

  return {
    find: (id) => current().get(id),
    add,
    keepPrivate: () => keepPrivate(file),
    unsealed: () => [...current()].flatMap(([id, { seal }]) => (seal === 'unsealed' ? [id] : [])),
  };
}

/** Returns whether a crash cut off the last line. A line that is appended to it would become a part of it. */
function isCutOff(file: string): boolean {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text !== '' && !text.endsWith('\n');
}

/** A list that belongs to another user is left to `doctor`. */
function keepPrivate(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined || stat.uid !== process.geteuid?.() || (stat.mode & 0o077) === 0) return;
  chmodSync(file, 0o600);
}

/** Of several lines of a key, the one that is sealed best counts, and of those the first. */
function readLines(text: string, ring: KeyRing | undefined): ReadonlyMap<string, Revocation> {
  const found = new Map<string, Revocation>();
  // A line that is cut off or foreign revokes nothing; those around it do.
  for (const [id, one] of text.split('\n').flatMap((line) => readLine(line, ring))) {
    const before = found.get(id);
    if (before === undefined || ranks.indexOf(one.seal) > ranks.indexOf(before.seal)) found.set(id, one);
  }
  return found;
}

const ranks: readonly SealStatus[] = ['unsealed', 'outdated', 'sealed'];

function readLine(line: string, ring: KeyRing | undefined): readonly (readonly [string, Revocation])[] {
  try {
    const { id, at, key, mac } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (typeof id !== 'string' || typeof at !== 'string' || !/^[0-9a-f]{12}$/.test(id)) return [];
    const seal = typeof key === 'string' && typeof mac === 'string' ? { ringKey: key, mac } : undefined;
    const standing = ring === undefined ? 'unsealed' : sealStatus(ring, seal, sealedPart(id, at));
    return [[id, { at, seal: standing }]];
  } catch {
    // A line that was cut off by a crash names no key.
    return [];
  }
}

function sealedPart(id: string, at: string): SealedRecord {
  return { kind: 'revoked-key', values: [id, at] };
}
