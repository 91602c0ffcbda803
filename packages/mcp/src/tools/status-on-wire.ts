import type { ChildLink, ParentLink, SessionStatus } from '@workflowlookup/core';
import type { JsonObject } from '@workflowlookup/schema';
import { nextCallsOnWire } from './next-call-on-wire.ts';

/** A status as clients see it; `calls` is how many of its next calls are shown. */
export function statusOnWire(status: SessionStatus, calls = status.next.length): JsonObject {
  const { outcome, current, skipped, lastAnswer, parent, children, variables, next, obstacle } = status;
  const omitted = { ...status.omitted, ...omittedCalls(status, calls) };
  return {
    status: status.status,
    ...(outcome !== undefined && { outcome }),
    ...(current !== undefined && { current_activity: current }),
    completed_activities: status.completed,
    ...(skipped.length > 0 && { skipped_activities: skipped }),
    ...(lastAnswer !== undefined && { last_checkpoint: answerOnWire(lastAnswer) }),
    workflow: { ...status.workflow },
    ...(parent !== undefined && { parent: parentOnWire(parent) }),
    ...(children.length > 0 && { children: children.map(childOnWire) }),
    ...(Object.keys(variables).length > 0 && { variables, variables_set_by: status.variablesSetBy ?? {} }),
    ...(next.length > 0 && { next: nextCallsOnWire(next).slice(0, calls) }),
    ...(obstacle !== undefined && { obstacle }),
    ...marksOnWire(status),
    ...(Object.keys(omitted).length > 0 && { omitted }),
  };
}

/** Where a session comes from, where that matters. */
export function marksOnWire({
  imported,
  unauthentic,
}: Pick<SessionStatus, 'imported' | 'unauthentic'>): JsonObject {
  return {
    ...(imported !== undefined && {
      imported: { at: imported.at, by: imported.by, authentic: imported.isAuthentic },
    }),
    ...(unauthentic !== undefined && { unauthentic }),
  };
}

function omittedCalls({ next, omitted }: SessionStatus, calls: number): JsonObject {
  return calls < next.length ? { next: (omitted?.next ?? 0) + next.length - calls } : {};
}

function answerOnWire({
  checkpoint,
  activity,
  answer,
  at,
}: NonNullable<SessionStatus['lastAnswer']>): JsonObject {
  const how = answer.kind === 'dismissed' ? { dismissed: true } : { option_id: answer.option };
  return { checkpoint_id: checkpoint, activity_id: activity, ...how, at };
}

function parentOnWire({ sid, workflowId, activity, version }: ParentLink): JsonObject {
  return {
    session_id: sid,
    workflow_id: workflowId,
    ...(activity !== undefined && { activity }),
    version,
  };
}

function childOnWire({ sid, workflowId, status, unauthentic }: ChildLink): JsonObject {
  return {
    session_id: sid,
    workflow_id: workflowId,
    status,
    ...(unauthentic !== undefined && { unauthentic }),
  };
}
