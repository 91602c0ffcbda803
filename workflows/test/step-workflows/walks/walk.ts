import type { Context } from '@workflowlookup/conditions';
import type { Engine, NextReply } from '@workflowlookup/core';
import type { JsonObject } from '@workflowlookup/schema';

/** An output that passes the criteria of a step, and one that fails them. */
export interface Sample {
  readonly good: JsonObject;
  readonly bad: JsonObject;
}

/** One path through a workflow: the instance ids in order, each with the values that its step adds to the context. */
export interface Walk {
  readonly name: string;
  readonly steps: readonly (string | readonly [instanceId: string, sets: Context])[];
}

/** The walks of one workflow, with samples for the steps that have criteria in addition to fields. */
export interface WorkflowWalks {
  readonly id: string;
  readonly walks: readonly Walk[];
  readonly samples?: Readonly<Record<string, Sample>>;
}

/** A step that the engine offered during a walk. */
interface Visit {
  readonly instanceId: string;
  readonly stepId: string;
  readonly reply: NextReply;
  /** The context after the step. */
  readonly context: Context;
}

/** The visited steps of a walk, and its end. */
export interface WalkResult {
  readonly visits: readonly Visit[];
  readonly end: NextReply;
  readonly context: Context;
}

const mostSteps = 200;

/** Completes each step that the engine offers until the end, and sets the values of the walk after each step. */
export async function follow(engine: Engine, workflowId: string, walk: Walk): Promise<WalkResult> {
  const sets = new Map(walk.steps.map((step) => (typeof step === 'string' ? [step, {}] : step)));
  const visits: Visit[] = [];
  let context: Context = {};
  for (;;) {
    const completedSteps = visits.map(({ instanceId }) => instanceId);
    const reply = await engine.next({ workflowId, completedSteps, context });
    if (reply.step === null) return { visits, end: reply, context };
    if (visits.length === mostSteps) throw new Error(`${workflowId}: no end after ${mostSteps} steps`);
    const instanceId = reply.step.id;
    context = { ...context, ...sets.get(instanceId) };
    visits.push({ instanceId, stepId: authoredId(instanceId), reply, context });
  }
}

/** Returns the id in the definition for an instance id. */
function authoredId(instanceId: string): string {
  return instanceId.slice(instanceId.lastIndexOf(':') + 1);
}

/** Returns the instance ids that a walk expects. */
export function expectedIds({ steps }: Walk): readonly string[] {
  return steps.map((step) => (typeof step === 'string' ? step : step[0]));
}
