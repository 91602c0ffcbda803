import { createHash, randomBytes } from 'node:crypto';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { isRecord } from '../json-rpc/rpc-messages.ts';
import { createSigner } from '../signed-values.ts';

/** What every replica knows about a legacy session from its id alone. */
export interface SessionFacts {
  /** 128 random bits. */
  readonly id: string;
  /** The negotiated protocol revision. */
  readonly version: string;
  /** Whether the client can ask its person questions. */
  readonly canElicit: boolean;
  /** When the session expires, in milliseconds since the epoch. */
  readonly untilMs: number;
}

/** Issues and reads the values of the header `Mcp-Session-Id`. */
interface SessionIds {
  issue(session: Pick<SessionFacts, 'version' | 'canElicit'>, principal: string): string;
  /** Returns the session, or `undefined` if the id is forged, expired or belongs to another principal. */
  read(signedId: string, principal: string): SessionFacts | undefined;
}

/** How long a session may last. */
const lifetimeMs = 7 * 24 * 3_600_000;

const maxLength = 512;

/** How long a verified id is not verified again. After a key is removed, its ids remain valid for at most this time. */
const verifiedMs = 60_000;

/** The maximum number of verified ids that are remembered. */
const maxVerified = 4096;

interface VerifiedId {
  readonly facts: SessionFacts;
  readonly principal: string;
  /** In milliseconds of a monotonic clock. */
  readonly verifiedUntilMs: number;
}

/**
 * Creates the session ids for these keys: every replica with the keys can serve a session. `steady` is a monotonic clock,
 * which limits how long verified ids are remembered.
 */
export function createSessionIds(keys: KeyRing, now: () => number, steady = now): SessionIds {
  const signer = createSigner(keys, 'mcp-session');
  const verified = new Map<string, VerifiedId>();

  function remember(signedId: string, one: VerifiedId): void {
    verified.delete(signedId);
    verified.set(signedId, one);
    const [oldest] = verified.keys();
    if (verified.size > maxVerified && oldest !== undefined) verified.delete(oldest);
  }

  return {
    issue({ version, canElicit }, principal) {
      const id = randomBytes(16).toString('base64url');
      return signer.sign({
        id,
        version,
        canElicit,
        untilMs: now() + lifetimeMs,
        of: principalDigest(principal),
      });
    },
    read(signedId, principal) {
      const nowMs = now();
      const known = verified.get(signedId);
      const isVerified = known?.principal === principal && steady() < known.verifiedUntilMs;
      if (isVerified && nowMs < known.facts.untilMs) return known.facts;
      const found = signedId.length > maxLength ? undefined : signer.verify(signedId);
      if (!isRecord(found) || found['of'] !== principalDigest(principal)) return undefined;
      const { id, version, canElicit, untilMs } = found as unknown as SessionFacts;
      if (untilMs <= nowMs) return undefined;
      const facts = { id, version, canElicit, untilMs };
      remember(signedId, { facts, principal, verifiedUntilMs: steady() + verifiedMs });
      return facts;
    },
  };
}

function principalDigest(principal: string): string {
  return createHash('sha256').update(principal).digest('base64url').slice(0, 22);
}

/** The ids of sessions that were ended before they expired. */
export interface RevokedIds {
  /** Adds an id, which is kept until `untilMs`, in milliseconds since the epoch. */
  add(id: string, untilMs: number): Promise<void>;
  /** Returns whether an id was added. `untilMs` is the same as in `add`. */
  has(id: string, untilMs: number): Promise<boolean>;
}

/** Creates a store that keeps the ids in this process. */
export function createRevokedIds(now: () => number): RevokedIds {
  const ends = new Map<string, number>();
  return {
    add(id, untilMs) {
      for (const [old, end] of ends) if (end <= now()) ends.delete(old);
      ends.set(id, untilMs);
      return Promise.resolve();
    },
    has: (id) => Promise.resolve(ends.has(id)),
  };
}
