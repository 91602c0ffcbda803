import type { ForeignObject, SessionStore } from '@workflowlookup/storage';
import { everySession } from './every-session.ts';
import type { SessionProblem } from './verify-session.ts';

/** What `verify --all` has to look at. */
export interface Survey {
  /** Every session that a row of the database names. */
  readonly sids: readonly string[];
  /** What is wrong with the database itself. */
  readonly problems: readonly Pick<SessionProblem, 'code' | 'message'>[];
}

/** Finds all sessions of a store, also those that somebody who can write to the database keeps out of lists. */
export async function surveyStore(store: SessionStore): Promise<Survey> {
  const survey = await store.survey?.();
  if (survey !== undefined) {
    const { sids, foreign, damage } = survey;
    const problems = [
      ...foreign.map((one) => ({ code: 'SCHEMA', message: schemaText(one) }) as const),
      ...damage.map((what) => ({ code: 'UNREADABLE', message: `The database is damaged: ${what}` }) as const),
    ];
    return { sids, problems };
  }
  const sids: string[] = [];
  for await (const { sid } of everySession(store, {})) sids.push(sid);
  return { sids, problems: [] };
}

function schemaText({ kind, name, table }: ForeignObject): string {
  const what = name === table ? `${kind} on '${table}'` : `the ${kind} '${name}' on '${table}'`;
  // To drop it at once would delete sessions whose rows somebody moved there.
  if (kind === 'child table')
    return `The database has ${what}, which no server made. Its rows count as rows of '${table}', and it can hide them or change what is written. Move the rows that you want to keep to '${table}', drop it, then verify again.`;
  return `The database has ${what}, which no server made. It can hide rows, or change what is written. Drop it, then verify again.`;
}
