import type { ActivityWorkflow, StepWorkflow, Workflow } from '@workflowlookup/schema';
import type { CompiledWorkflow } from '../compile-workflow.ts';
import { compileWorkflow } from '../compile-workflow.ts';
import { graphNavigator } from '../session/graph-navigator.ts';
import type { Navigator } from '../session/navigator.ts';
import { sequenceNavigator } from '../session/sequence-navigator.ts';

/** An activity workflow made ready. */
export interface RunnableActivities {
  readonly kind: 'activities';
  readonly workflow: ActivityWorkflow;
  readonly navigator: Navigator;
}

/** A step workflow made ready. */
export interface RunnableSteps {
  readonly kind: 'steps';
  readonly workflow: StepWorkflow;
  readonly compiled: CompiledWorkflow;
  readonly navigator: Navigator;
}

/** A definition made ready to run sessions on. */
export type Runnable = RunnableActivities | RunnableSteps;

const made = new WeakMap<Workflow, Runnable>();

/** A definition made ready; once for each object. */
export function runnableOf(workflow: Workflow): Runnable {
  const known = made.get(workflow);
  if (known !== undefined) return known;
  const runnable = makeReady(workflow);
  made.set(workflow, runnable);
  return runnable;
}

function makeReady(workflow: Workflow): Runnable {
  if (workflow.kind === 'activities') {
    return { kind: 'activities', workflow, navigator: graphNavigator(workflow) };
  }
  const compiled = compileWorkflow(workflow);
  return { kind: 'steps', workflow, compiled, navigator: sequenceNavigator(compiled) };
}
