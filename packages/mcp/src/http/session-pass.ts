import { createHash, randomBytes } from 'node:crypto';
import type { KeyRing } from '@workflowlookup/core';
import { isRecord } from '../front-door/json-rpc.ts';
import { createSeal } from '../seal.ts';

/** What is known of a legacy session from its id alone, on every replica. */
export interface SessionFacts {
  /** 128 random bits. */
  readonly id: string;
  /** The revision that was negotiated. */
  readonly version: string;
  /** Whether the client said it can put questions to its person. */
  readonly canElicit: boolean;
  /** When it ends by itself, in milliseconds since the epoch. */
  readonly untilMs: number;
}

/** Makes and reads the values of `Mcp-Session-Id`. */
export interface SessionPasses {
  issue(session: Pick<SessionFacts, 'version' | 'canElicit'>, principal: string): string;
  /** `undefined` for one that is not genuine, of somebody else, or over. */
  read(pass: string, principal: string): SessionFacts | undefined;
}

/** How long a session may last. */
const lifetimeMs = 7 * 24 * 3_600_000;

/** The longest id looked at. */
const maxLength = 512;

/** How long a pass that was found genuine is taken for that: a key that was taken away counts no longer after it. */
const trustMs = 60_000;

/** Passes of which that is remembered; the oldest is forgotten first. */
const maxTrusted = 4096;

/** A pass that was found genuine. */
interface Trusted {
  readonly facts: SessionFacts;
  readonly principal: string;
  /** By a monotonic clock. */
  readonly trustedUntilMs: number;
}

/**
 * Makes the passes of these keys: whoever has the keys serves the session. `steady` is a monotonic clock, for what
 * lasts a while on this server alone.
 */
export function createSessionPasses(keys: KeyRing, now: () => number, steady = now): SessionPasses {
  const seal = createSeal(keys, 'mcp-session');
  const trusted = new Map<string, Trusted>();

  function trust(pass: string, one: Trusted): void {
    trusted.delete(pass);
    trusted.set(pass, one);
    const [oldest] = trusted.keys();
    if (trusted.size > maxTrusted && oldest !== undefined) trusted.delete(oldest);
  }

  return {
    issue({ version, canElicit }, principal) {
      const id = randomBytes(16).toString('base64url');
      return seal.close({ id, version, canElicit, untilMs: now() + lifetimeMs, of: markOf(principal) });
    },
    read(pass, principal) {
      const nowMs = now();
      const known = trusted.get(pass);
      const isTrusted = known?.principal === principal && steady() < known.trustedUntilMs;
      if (isTrusted && nowMs < known.facts.untilMs) return known.facts;
      const found = pass.length > maxLength ? undefined : seal.open(pass);
      if (!isRecord(found) || found['of'] !== markOf(principal)) return undefined;
      const { id, version, canElicit, untilMs } = found as unknown as SessionFacts;
      if (untilMs <= nowMs) return undefined;
      const facts = { id, version, canElicit, untilMs };
      trust(pass, { facts, principal, trustedUntilMs: steady() + trustMs });
      return facts;
    },
  };
}

function markOf(principal: string): string {
  return createHash('sha256').update(principal).digest('base64url').slice(0, 22);
}
