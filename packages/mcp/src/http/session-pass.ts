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

/** Makes the passes of these keys: whoever has the keys serves the session. */
export function createSessionPasses(keys: KeyRing, now: () => number): SessionPasses {
  const seal = createSeal(keys, 'mcp-session');
  return {
    issue({ version, canElicit }, principal) {
      const id = randomBytes(16).toString('base64url');
      return seal.close({ id, version, canElicit, untilMs: now() + lifetimeMs, of: markOf(principal) });
    },
    read(pass, principal) {
      const found = pass.length > maxLength ? undefined : seal.open(pass);
      if (!isRecord(found) || found['of'] !== markOf(principal)) return undefined;
      const { id, version, canElicit, untilMs } = found as unknown as SessionFacts;
      return untilMs <= now() ? undefined : { id, version, canElicit, untilMs };
    },
  };
}

function markOf(principal: string): string {
  return createHash('sha256').update(principal).digest('base64url').slice(0, 22);
}
