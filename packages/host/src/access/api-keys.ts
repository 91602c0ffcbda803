import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { WorkflowError, defined } from '@workflowlookup/schema';
import type { AccessStore, ApiKeyRecord } from '@workflowlookup/storage';
import type { AccessDatabase } from '../lazy-storage.ts';
import { apiKeyMessages } from '../messages.ts';
import type { KeyRingOptions, SealStatus, SealedRecord } from './token-keys.ts';
import { hasTokenKeys, isSameText, loadKeyRing, sealRecord, sealStatus } from './token-keys.ts';

/** The record of a revoked key in a state directory. */
interface Revocation {
  /** ISO 8601. */
  readonly at: string;
  /**
   * `unsealed`: the line was written by an older release, or by somebody without the keys. The API key is refused here,
   * but is not revoked in the database.
   */
  readonly seal: SealStatus;
}

/** The name of the list in the state directory. */
const revocationsFile = 'revoked-keys.jsonl';

/**
 * Returns the ids of keys in the list that only have lines without a valid seal. Empty if there are no token keys.
 * @throws STORE_UNAVAILABLE, and system errors
 */
export function unsealedRevocations(place: KeyRingOptions): readonly string[] {
  if (!hasTokenKeys(place)) return [];
  const ring = loadKeyRing(place);
  return openRevocations(join(place.stateDirectory, revocationsFile), () => ring).unsealed();
}

/**
 * Opens the list of revoked keys in the state directory, because a database that was restored from a backup may have lost
 * revocations. It has one JSON object on each line, and is read again when another process has changed it. Each line is
 * sealed with the signing key of the ring, so that nobody without that key can cause a revocation in the database.
 * Every function throws system errors.
 */
function openRevocations(file: string, ring: () => KeyRing | undefined) {
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
    const { ringKey: key, mac } = keys === undefined ? {} : sealRecord(keys, sealedRevocation(id, at));
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const line = `${JSON.stringify({ id, at, key, mac })}\n`;
    appendFileSync(file, isCutOff(file) ? `\n${line}` : line, { mode: 0o600, flush: true });
  }

  return {
    find: (id: string) => current().get(id),
    add,
    /** Removes the permissions of other users on the list. */
    keepPrivate: () => keepPrivate(file),
    /** Returns the ids of keys that only have unsealed lines. */
    unsealed: () => [...current()].flatMap(([id, { seal }]) => (seal === 'unsealed' ? [id] : [])),
  };
}

/** Returns whether a crash cut off the last line. A line appended to it would become part of it. */
function isCutOff(file: string): boolean {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text !== '' && !text.endsWith('\n');
}

/** If the list belongs to another user, nothing is changed; `doctor` reports it. */
function keepPrivate(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined || stat.uid !== process.geteuid?.() || (stat.mode & 0o077) === 0) return;
  chmodSync(file, 0o600);
}

/**
 * Returns the revocations by key. Of several lines for one key, the one with the best seal counts, and among equals the
 * first.
 */
function readLines(text: string, ring: KeyRing | undefined): ReadonlyMap<string, Revocation> {
  const found = new Map<string, Revocation>();
  // A line that was cut off or has another form is skipped; the lines around it count.
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
    const status = ring === undefined ? 'unsealed' : sealStatus(ring, seal, sealedRevocation(id, at));
    return [[id, { at, seal: status }]];
  } catch {
    // A line that is not valid JSON, for example after a crash, is skipped.
    return [];
  }
}

function sealedRevocation(id: string, at: string): SealedRecord {
  return { kind: 'revoked-key', values: [id, at] };
}

/** The permissions of a credential. */
export const scopes = ['read', 'write', 'checkpoints:respond'] as const;

/** `read`: tools that change nothing; `write`: the others; `checkpoints:respond`: its holder answers as a person. */
export type Scope = (typeof scopes)[number];

/** A key as it is kept: without its secret. */
export interface ApiKey {
  /** Identifies the key in lists and logs. It is not a secret. */
  readonly id: string;
  /** The owner of the sessions. Several keys may share one principal. */
  readonly principal: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601. */
  readonly createdAt: string;
  /** The key is refused from this time on; ISO 8601. */
  readonly expiresAt?: string;
  /** When the key was revoked; ISO 8601. */
  readonly revokedAt?: string;
  /**
   * Present if the record was not written by a server with the key ring. The key is then refused until a person seals
   * the record.
   */
  readonly isUnsealed?: true;
}

/** Options of a new key. */
export interface NewApiKey {
  /** Printable ASCII without spaces, at most 128 characters. */
  readonly principal: string;
  /** One or more. */
  readonly scopes: readonly Scope[];
  /** A date in the future, ISO 8601, or a span from now: `12h`, `30d`, `4w`. */
  readonly expiresAt?: string;
}

/** The result of looking up a secret. */
export type CheckedKey =
  /**
   * The secret matches, but the record was not written by a server with the key ring: somebody else wrote to the
   * database, or an older release did.
   */
  | { readonly status: 'unsealed'; readonly key: ApiKey }
  | { readonly status: 'good'; readonly key: ApiKey }
  /** The secret is right, but the key has expired or was revoked. */
  | { readonly status: 'over'; readonly key: ApiKey; readonly reason: string }
  | { readonly status: 'unknown' };

/** Whether a key is accepted: it may be revoked or expired. */
export function apiKeyStatus(
  { revokedAt, expiresAt }: Pick<ApiKey, 'expiresAt' | 'revokedAt'>,
  nowMs: number = Date.now(),
): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= nowMs ? 'expired' : 'active';
}

/** The API keys of a database. Every method throws STORE_UNAVAILABLE if the database can't be used. */
export interface ApiKeys {
  /** Creates a key. Only the returned value contains its secret. @throws INVALID_INPUT */
  create(key: NewApiKey): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Returns all keys, including revoked ones, the oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /**
   * Revokes a key on every server of this database. With Postgres, other servers learn of it within a second. Returns
   * false if no key has this id. @throws STORE_DAMAGED with `data.reason` `not-revoked` if the database did not keep the
   * revocation
   */
  revoke(id: string): Promise<boolean>;
  /** Returns the valid key with this secret. Hashes are compared in constant time. */
  verify(secret: string): Promise<ApiKey | undefined>;
  /**
   * Like `verify`, but also says why a known key is refused. The caller may see the reason, because they had the
   * secret.
   */
  check(secret: string): Promise<CheckedKey>;
  /** Seals the record of a key that was not made here. Returns false if no key has that id. */
  seal(id: string): Promise<boolean>;
  /**
   * Synchronizes revocations between the database and this state directory, in case the database was restored from an
   * older backup. Also renews the seals that an older key of the ring made. Returns the ids of the keys that it revoked
   * again.
   */
  sync(): Promise<readonly string[]>;
  /** Returns the valid key with this id. */
  find(id: string): Promise<ApiKey | undefined>;
}

/** Whether a text names a scope. */
export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

type Sealed = Omit<ApiKeyRecord, 'hash' | 'revokedAt'>;

/** Reads the stored form of a secret: its SHA-256, and the seal, which records of releases without seals lack. */
function readKeptHash({ hash: text }: Pick<ApiKeyRecord, 'hash'>) {
  const [hash = '', ringKey, mac] = text.split('.');
  return { hash, seal: ringKey !== undefined && mac !== undefined ? { ringKey, mac } : undefined };
}

/** Returns the stored form of a secret, sealed with the signing key of the ring. */
export function sealedHash(record: Sealed, hash: string, ring: KeyRing): string {
  const { ringKey, mac } = sealRecord(ring, sealedPart(record, hash));
  return `${hash}.${ringKey}.${mac}`;
}

/** Returns whether a server with the key ring wrote a record. */
function sealStatusOf(record: ApiKeyRecord, ring: KeyRing): SealStatus {
  const { hash, seal } = readKeptHash(record);
  return sealStatus(ring, seal, sealedPart(record, hash));
}

function sealedPart({ id, principal, createdAt, expiresAt, ...key }: Sealed, hash: string): SealedRecord {
  return { kind: 'api-key', values: [id, principal, key.scopes, createdAt, expiresAt ?? null, hash] };
}

const spelling = /^wlk_([0-9a-f]{12})_[\w-]{43}$/;

/**
 * Opens the API keys of a database, which many servers and commands may use at once. Reading does not create a
 * database. A secret has 256 random bits, so its SHA-256 does not help anyone to guess it. A record is valid only with
 * a seal of the key ring, so write access to the database is not enough to create or change a key.
 */
export function openApiKeys(place: AccessDatabase, now: () => Date = () => new Date()): ApiKeys {
  const { open, isMade, notBefore } = place;
  const revocations = openRevocations(join(place.directory, revocationsFile), place.knownKeys);

  /** Returns a record with the revocation from this state directory, if there is one. */
  function recalled(kept: ApiKeyRecord): ApiKeyRecord {
    const revokedAt = revocations.find(kept.id)?.at ?? kept.revokedAt;
    return revokedAt === undefined ? kept : { ...kept, revokedAt };
  }

  const overBecause = (kept: ApiKeyRecord): string | undefined => reasonOver(kept, now(), notBefore);

  const isSealed = async (kept: ApiKeyRecord): Promise<boolean> =>
    sealStatusOf(kept, await place.sharedKeys()) !== 'unsealed';

  /** Returns a key without its hash. If this machine has no token keys, the seal can't be checked. */
  function shown(kept: ApiKeyRecord): ApiKey {
    const ring = place.knownKeys();
    const isUnsealed = ring !== undefined && sealStatusOf(kept, ring) === 'unsealed';
    return { ...toApiKey(recalled(kept)), ...(isUnsealed && { isUnsealed }) };
  }

  /**
   * Adds a revocation to the list. A failure is ignored, because the database has the revocation, and servers copy it
   * from there.
   */
  function recall(id: string, at: string): void {
    try {
      revocations.add(id, at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }

  async function check(secret: string): Promise<CheckedKey> {
    const id = spelling.exec(secret)?.[1];
    if (id === undefined || !isMade()) return { status: 'unknown' };
    const kept = await (await open()).findApiKey(id);
    if (kept === undefined || !isSameText(hashOf(secret), readKeptHash(kept).hash))
      return { status: 'unknown' };
    if (!(await isSealed(kept))) return { status: 'unsealed', key: shown(kept) };
    const found = recalled(kept);
    const [key, reason] = [toApiKey(found), overBecause(found)];
    return reason === undefined ? { status: 'good', key } : { status: 'over', key, reason };
  }

  async function create(wanted: NewApiKey): ReturnType<ApiKeys['create']> {
    const expiresAt = checkWanted(wanted, now());
    const store = await open();
    const ring = await place.sharedKeys();
    const id = randomBytes(6).toString('hex');
    const secret = `wlk_${id}_${randomBytes(32).toString('base64url')}`;
    const key: ApiKey = { id, ...wanted, ...(expiresAt && { expiresAt }), createdAt: now().toISOString() };
    const hash = sealedHash(key, hashOf(secret), ring);
    if (!(await store.addApiKey({ ...key, hash }))) return create(wanted);
    const { principal } = wanted;
    place.audit?.record({
      action: 'key.create',
      outcome: 'done',
      target: `${id} ${principal} ${wanted.scopes.join(',')}`,
    });
    return { key, secret };
  }

  async function seal(store: AccessStore, kept: ApiKeyRecord): Promise<boolean> {
    const after = sealedHash(kept, readKeptHash(kept).hash, await place.sharedKeys());
    return store.changeApiKeyHash(kept.id, { before: kept.hash, after });
  }

  async function revoke(id: string): Promise<boolean> {
    if (!isMade()) return false;
    const at = now().toISOString();
    const store = await open();
    const isThere = await store.revokeApiKey(id, at);
    if (isThere) recall(id, at);
    // A trigger or a rule in the database can undo the revocation. Only reading the record again shows that.
    const kept = isThere ? await store.findApiKey(id) : undefined;
    const isKept = kept === undefined || kept.revokedAt !== undefined;
    const outcome = isKept ? (isThere ? 'done' : 'refused') : 'failed';
    place.audit?.record({ action: 'key.revoke', outcome, target: id });
    if (!isKept)
      throw new WorkflowError('STORE_DAMAGED', apiKeyMessages.notRevoked(id), {
        data: { reason: 'not-revoked', id, retryable: false },
      });
    return isThere;
  }

  async function sync(): Promise<readonly string[]> {
    if (!isMade()) return [];
    const store = await open();
    const ring = await place.sharedKeys();
    revocations.keepPrivate();
    const again: string[] = [];
    for (const kept of await store.apiKeys()) {
      const known = revocations.find(kept.id);
      if (kept.revokedAt !== undefined) revocations.add(kept.id, kept.revokedAt);
      // Only sealed lines count here. An unsealed line refuses the key on this machine but does not change the
      // database.
      else if (known !== undefined && known.seal !== 'unsealed') {
        await store.revokeApiKey(kept.id, known.at);
        again.push(kept.id);
        place.audit?.record({ action: 'key.revoke', outcome: 'done', channel: 'server', target: kept.id });
      }
      if (sealStatusOf(kept, ring) === 'outdated') await seal(store, kept);
    }
    return again;
  }

  return {
    create,
    list: async () => (isMade() ? (await (await open()).apiKeys()).map(shown) : []),
    revoke,
    check,
    async verify(secret) {
      const found = await check(secret);
      return found.status === 'good' ? found.key : undefined;
    },
    async seal(id) {
      const store = await open();
      const kept = await store.findApiKey(id);
      const isDone = kept !== undefined && (await seal(store, kept));
      place.audit?.record({ action: 'key.seal', outcome: isDone ? 'done' : 'refused', target: id });
      return isDone;
    },
    sync,
    async find(id) {
      const kept = isMade() ? await (await open()).findApiKey(id) : undefined;
      if (kept === undefined || !(await isSealed(kept))) return undefined;
      const found = recalled(kept);
      return overBecause(found) === undefined ? toApiKey(found) : undefined;
    },
  };
}

/** Returns why a key is refused, or `undefined` if it is valid. */
function reasonOver(kept: ApiKeyRecord, now: Date, notBefore: string | undefined): string | undefined {
  switch (apiKeyStatus(kept, now.getTime())) {
    case 'active':
      return notBefore !== undefined && Date.parse(kept.createdAt) < Date.parse(notBefore)
        ? apiKeyMessages.tooOld(notBefore)
        : undefined;
    case 'revoked':
      return apiKeyMessages.revoked(kept.revokedAt ?? '');
    case 'expired':
      return apiKeyMessages.expired(kept.expiresAt ?? '');
  }
}

/** Returns a key without its hash, and without scopes that only a newer release knows. */
function toApiKey({ id, principal, createdAt, expiresAt, revokedAt, ...kept }: ApiKeyRecord): ApiKey {
  return {
    id,
    principal,
    scopes: kept.scopes.filter(isScope),
    createdAt,
    ...defined({ expiresAt, revokedAt }),
  };
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Checks the options of a new key, and returns when it expires. @throws WorkflowError INVALID_INPUT */
function checkWanted({ principal, scopes: wanted, expiresAt }: NewApiKey, now: Date): string | undefined {
  if (!/^[\x21-\x7e]{1,128}$/.test(principal)) throw invalid(apiKeyMessages.wrongPrincipal(principal));
  const unknown = wanted.find((scope) => !isScope(scope));
  if (unknown !== undefined || wanted.length === 0) throw invalid(apiKeyMessages.wrongScope(scopes, unknown));
  return expiresAt === undefined ? undefined : readExpiry(expiresAt, now);
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Returns a date as it was given, or the end of a span such as `30d` from now. */
function readExpiry(text: string, now: Date): string {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const date =
    unit === undefined
      ? text
      : new Date(now.getTime() + Number(count) * unitMs[unit as keyof typeof unitMs]).toISOString();
  if (!/^\d{4}-\d\d-\d\d/.test(date) || Number.isNaN(Date.parse(date)))
    throw invalid(apiKeyMessages.wrongExpiry(text));
  if (Date.parse(date) <= now.getTime()) throw invalid(apiKeyMessages.expiryInPast(text, now.toISOString()));
  return date;
}

function invalid(message: string): WorkflowError {
  return new WorkflowError('INVALID_INPUT', message);
}
