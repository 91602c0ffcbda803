import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { workflowQuery } from '../api/queries.ts';
import { reasonOf } from '../insights/reason.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { sessionNames } from './session-names.ts';

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
