import type { SessionCounts } from '@workflowlookup/core/operator';
import { WorkflowError } from '@workflowlookup/schema';
import { createRateLimit } from './rate-limit.ts';

/** How many sessions each principal may start; 0 is no limit. */
export interface SessionQuotaOptions {
  /** Started in a minute, all at once after a pause. */
  readonly sessionRate: number;
  /** Open at once, blocked at a checkpoint or not, on all servers of the database. */
  readonly maxOpenSessions: number;
}

export interface SessionQuotaParts extends SessionQuotaOptions {
  countOf(principal: string): Promise<SessionCounts>;
  readonly now?: () => number;
}

/** Lets a principal start one more session, or says which limit it has reached. @throws WorkflowError QUOTA_EXCEEDED */
export type SessionQuota = (principal: string) => Promise<void>;

/** How long a count is used; sessions started here meanwhile are added to it. */
const keepMs = 5_000;

/** Principals whose count is remembered. */
const maxRemembered = 10_000;

/** Makes the quota of one server. Servers count for themselves, so several together may let a few more through. */
export function createSessionQuota(parts: SessionQuotaParts): SessionQuota {
  const { sessionRate, maxOpenSessions, countOf, now = () => performance.now() } = parts;
  const rate = createRateLimit({ perSecond: sessionRate / 60, burst: sessionRate }, now);
  const counts = new Map<string, { readonly atMs: number; readonly counting: Promise<{ open: number }> }>();

  async function count(principal: string): Promise<{ open: number }> {
    const { active, blocked } = await countOf(principal);
    return { open: active + blocked };
  }

  /** Starts that come together share one count. */
  function openOf(principal: string): Promise<{ open: number }> {
    const known = counts.get(principal);
    const atMs = now();
    if (known !== undefined && atMs - known.atMs < keepMs) return known.counting;
    const counting = count(principal);
    counts.delete(principal);
    counts.set(principal, { atMs, counting });
    // A failed count is not remembered.
    counting.catch(() => counts.delete(principal));
    const [oldest] = counts.keys();
    if (counts.size > maxRemembered && oldest !== undefined) counts.delete(oldest);
    return counting;
  }

  return async (principal) => {
    const waitSeconds = rate.take(principal);
    if (waitSeconds > 0) throw tooFast(principal, sessionRate, waitSeconds);
    if (maxOpenSessions === 0) return;
    const counted = await openOf(principal);
    if (counted.open >= maxOpenSessions) throw tooMany(principal, maxOpenSessions, counted.open);
    counted.open += 1;
  };
}

function tooFast(principal: string, limit: number, waitSeconds: number): WorkflowError {
  return new WorkflowError(
    'QUOTA_EXCEEDED',
    `'${principal}' has started ${limit} sessions within a minute, which is the limit. Start the next one in ${waitSeconds} s, or continue one with its session_token.`,
    { data: { quota: 'rate', limit, retry_after_seconds: waitSeconds } },
  );
}

function tooMany(principal: string, limit: number, open: number): WorkflowError {
  return new WorkflowError(
    'QUOTA_EXCEEDED',
    `'${principal}' has ${open} open sessions, and ${limit} are allowed. Continue one with its session_token, or bring some to their end. An operator drops those that nobody continues: workflowlookup sessions prune --status active --before 30d`,
    { data: { quota: 'open', limit, open } },
  );
}
