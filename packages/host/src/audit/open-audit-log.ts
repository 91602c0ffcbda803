import type { SessionOptions } from '../session-options.ts';
import type { AuditLog } from './audit-log.ts';
import { createAuditLog } from './audit-log.ts';
import { openAuditSink } from './audit-sinks.ts';

/** The audit log that the options ask for. */
export function openAuditLog({
  audit = [],
  onAuditChange = warn,
}: Pick<SessionOptions, 'audit' | 'onAuditChange'>): AuditLog {
  return createAuditLog({ sinks: audit.map(openAuditSink), onChange: onAuditChange });
}

const warn: NonNullable<SessionOptions['onAuditChange']> = ({ isFailing, error }) => {
  const reason = error instanceof Error ? `: ${error.message}` : '';
  if (isFailing) process.stderr.write(`The audit log can't be written${reason}\n`);
};
