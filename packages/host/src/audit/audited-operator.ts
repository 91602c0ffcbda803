import { join } from 'node:path';
import type { Operator } from '@workflowlookup/core/operator';
import type { SessionParts } from '@workflowlookup/core/sessions';
import { WorkflowError, isStoreFailure } from '@workflowlookup/schema';
import type { Trust } from '../trust/trust.ts';
import type { AuditAction, AuditContext, AuditEntry, AuditLog } from './audit-log.ts';

const actions: Readonly<Record<string, AuditAction>> = {
  'session-started': 'session.start',
  'session-completed': 'session.end',
  'checkpoint-answered': 'answer',
};

/** Passes events of sessions on to the caller's listener and to the audit log. */
export function auditedListeners(
  { onWrite }: Pick<SessionParts, 'onWrite'>,
  audit: AuditLog,
): Pick<SessionParts, 'onSession' | 'onWrite'> {
  if (!audit.isOn) return onWrite === undefined ? {} : { onWrite };
  return {
    onSession: (session) => audit.note({ session }),
    onWrite(written) {
      onWrite?.(written);
      const action = actions[written.type];
      if (action !== undefined) audit.record({ action, outcome: 'done', session: written.sid });
    },
  };
}

type What = Pick<AuditEntry, 'action' | 'session' | 'target'>;

/** Records what a person does with sessions: what they read, drop, take in and take out, and answers that were refused. */
export function auditedOperator(operator: Operator, audit: AuditLog, who: AuditContext): Operator {
  if (!audit.isOn) return operator;

  async function told<T>(
    what: What,
    work: () => Promise<T>,
    targetOf?: (result: T) => Partial<What>,
  ): Promise<T> {
    return audit.within(who, async () => {
      try {
        const result = await work();
        audit.record({ ...what, ...targetOf?.(result), outcome: 'done' });
        return result;
      } catch (error) {
        audit.record({ ...what, ...outcomeOf(error) });
        throw error;
      }
    });
  }

  /** Records refusals only: the journal already records every write. */
  async function written<T>(what: What, work: () => Promise<T>): Promise<T> {
    return audit.within(
      { ...who, ...(what.session !== undefined && { session: what.session }) },
      async () => {
        try {
          return await work();
        } catch (error) {
          audit.record({ ...what, ...outcomeOf(error) });
          throw error;
        }
      },
    );
  }

  return {
    ...operator,
    history: (sid) => told({ action: 'read', session: sid }, () => operator.history(sid)),
    contents: (sid) => told({ action: 'read', session: sid }, () => operator.contents(sid)),
    events: (sid, range) => told({ action: 'read', session: sid }, () => operator.events(sid, range)),
    present: (sid) => told({ action: 'read', session: sid }, () => operator.present(sid)),
    task: (sid) => told({ action: 'read', session: sid }, () => operator.task(sid)),
    respond: (sid, response) =>
      written({ action: 'answer', session: sid }, () => operator.respond(sid, response)),
    abandon: (sid) => written({ action: 'session.end', session: sid }, () => operator.abandon(sid)),
    seal: (sid, request) => told({ action: 'session.seal', session: sid }, () => operator.seal(sid, request)),
    export(sid, verified) {
      audit.within(who, () => audit.record({ action: 'export', outcome: 'done', session: sid }));
      return operator.export(sid, verified);
    },
    import: (lines) =>
      told(
        { action: 'import' },
        () => operator.import(lines),
        ({ sid }) => ({ session: sid }),
      ),
    prune: (request) =>
      told(
        { action: 'prune' },
        () => operator.prune(request),
        (count) => ({ target: `${count} sessions` }),
      ),
  };
}

export function auditedTrust(trust: Trust, audit: AuditLog): Trust {
  if (!audit.isOn) return trust;
  return {
    ...trust,
    trust(place, texts, how) {
      trust.trust(place, texts, how);
      const target = join(place.directory, place.file);
      audit.record({ action: 'trust', outcome: 'done', person: how.by, target });
    },
    trustFolder(directory, by) {
      const folder = trust.trustFolder(directory, by);
      audit.record({ action: 'trust', outcome: 'done', person: by, target: folder.path });
      return folder;
    },
    checks: {
      ...trust.checks,
      trust(checks, by) {
        trust.checks.trust(checks, by);
        audit.record({ action: 'trust', outcome: 'done', person: by, target: checks.path });
      },
    },
    remove(path) {
      const count = trust.remove(path);
      audit.record({ action: 'distrust', outcome: 'done', target: path });
      return count;
    },
  };
}

/** Returns whether an action was refused or failed, with the code. */
function outcomeOf(error: unknown): Pick<AuditEntry, 'outcome' | 'code'> {
  const code = error instanceof WorkflowError ? error.code : 'INTERNAL';
  return { outcome: code === 'INTERNAL' || isStoreFailure(code) ? 'failed' : 'refused', code };
}
