import type { Context } from '@workflowlookup/conditions';
import type { Engine, NextReply } from '@workflowlookup/core';
import type { JsonObject } from '@workflowlookup/schema';

/** An output that the criteria of a step accept, and one that they refuse. */
export interface Sample {
  readonly good: JsonObject;
  readonly bad: JsonObject;
}

/** One way through a workflow: the instance ids in order, each with what its step puts into the context. */
export interface Walk {
  readonly name: string;
  readonly steps: readonly (string | readonly [instanceId: string, sets: Context])[];
}

/** Every walk of one workflow, and samples of its steps that have criteria beside fields. */
export interface WorkflowWalks {
  readonly id: string;
  readonly walks: readonly Walk[];
  readonly samples?: Readonly<Record<string, Sample>>;
}

/** A step as it was offered on a walk. */
interface Visit {
  readonly instanceId: string;
  readonly stepId: string;
  readonly reply: NextReply;
  /** The context once the step is done. */
  readonly context: Context;
}

/** Where a walk led. */
export interface Trail {
  readonly visits: readonly Visit[];
  readonly end: NextReply;
  readonly context: Context;
}

const mostSteps = 200;

/** Follows what the engine offers to the end, setting after each step what the walk says. */
export async function follow(engine: Engine, workflowId: string, walk: Walk): Promise<Trail> {
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

/** The id in the definition that an instance id belongs to. */
function authoredId(instanceId: string): string {
  return instanceId.slice(instanceId.lastIndexOf(':') + 1);
}

/** The instance ids a walk expects. */
export function expectedIds({ steps }: Walk): readonly string[] {
  return steps.map((step) => (typeof step === 'string' ? step : step[0]));
}
