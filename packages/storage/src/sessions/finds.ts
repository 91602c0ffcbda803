import type { SessionQuery, SessionRow } from '../session-store.ts';

const compared = ['workflowId', 'principal', 'agent', 'parentSid', 'project'] as const;

/** Whether a query finds a session. */
export function finds(query: SessionQuery, session: SessionRow): boolean {
  // In memory every row is of the last event.
  const { statuses, text, updatedBefore, updatedSince, isAtEnd = true } = query;
  return (
    isAtEnd &&
    compared.every((field) => query[field] === undefined || query[field] === session[field]) &&
    (statuses === undefined || statuses.includes(session.status)) &&
    (updatedBefore === undefined || session.updatedAt < updatedBefore) &&
    (updatedSince === undefined || session.updatedAt >= updatedSince) &&
    (text === undefined || mentions(session, text))
  );
}

function mentions({ sid, workflowId, principal, agent, project = '' }: SessionRow, text: string): boolean {
  const part = foldLetters(text);
  return [sid, workflowId, principal, agent, project].some((field) => foldLetters(field).includes(part));
}

/** Only A to Z: what every database does the same. */
function foldLetters(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
