import { useQuery } from '@tanstack/react-query';
import { errorCodes } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { workflowQuery } from '../api/queries.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { sessionNames } from '../sessions/session-names.ts';

/** Says what the sessions behind a figure have in common, with the names of the workflow if it is known. */
export function FigureTitle({
  tag,
  workflow,
}: {
  readonly tag: string;
  readonly workflow: string | undefined;
}): ReactNode {
  const { data } = useQuery({ ...workflowQuery(workflow ?? ''), enabled: workflow !== undefined });
  const nameOf = data === undefined ? (id: string) => id : sessionNames(data.outline).activity;
  return <span>{sessionMessages.filters.figure(tag, { nameOf, reasonOf })}</span>;
}

/** Returns what an error code means, or a missed criterion without the example for the agent. */
export function reasonOf(criterion: string): string {
  if (isErrorCode(criterion)) return errorCodes[criterion].meaning;
  return criterion.split(/ (?:Expected|Example): /, 1)[0] ?? criterion;
}

export function isErrorCode(criterion: string): criterion is keyof typeof errorCodes {
  return Object.hasOwn(errorCodes, criterion);
}
