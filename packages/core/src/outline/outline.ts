import type { Approver, Json, Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import { outlineActivities } from './outline-activities.ts';
import { outlineSteps } from './outline-steps.ts';

/** A workflow in short: what comes in which order, under which conditions, in which loops, and who is asked. */
export interface Outline extends WorkflowSummary {
  readonly digest: string;
  readonly kind: Workflow['kind'];
  readonly variables: readonly OutlinedVariable[];
  /** Of a step workflow. */
  readonly steps?: readonly OutlinedStep[];
  /** Of an activity workflow. */
  readonly activities?: readonly OutlinedActivity[];
}

/** A variable a workflow declares. */
export interface OutlinedVariable {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  readonly default?: Json;
}

/** A step or a loop of a step workflow. Conditions and rounds are sentences. */
export interface OutlinedStep {
  readonly id: string;
  readonly title: string;
  readonly when?: string;
  /** Somebody confirms the step. */
  readonly confirmation?: { readonly approver: Approver; readonly when?: string };
  /** What its output must meet. */
  readonly criteria?: readonly string[];
  /** Of a loop: how often it goes round. */
  readonly rounds?: string;
  /** Of a loop: what is repeated; or the id of the step beside it that is. */
  readonly body?: readonly OutlinedStep[] | string;
}

/** An activity with its steps, what it asks and where it leads. */
export interface OutlinedActivity {
  readonly id: string;
  readonly name: string;
  /** The session starts with it. */
  readonly isFirst: boolean;
  /** The workflow it is borrowed from. */
  readonly lender?: string;
  readonly steps: readonly OutlinedActivityStep[];
  readonly loops: readonly OutlinedActivityLoop[];
  readonly checkpoints: readonly OutlinedCheckpoint[];
  /** In the order they are tried: decisions, then transitions. */
  readonly ways: readonly OutlinedWay[];
}

/** A step of an activity. */
export interface OutlinedActivityStep {
  readonly id: string;
  readonly name?: string;
  readonly when?: string;
  readonly checkpoint?: string;
  readonly isOptional: boolean;
  readonly criteria?: readonly string[];
  /** Ids of the workflows that are started as children. */
  readonly starts?: readonly string[];
}

/** A loop of an activity: over steps of its own, or over activities. */
export interface OutlinedActivityLoop {
  readonly id: string;
  readonly name: string;
  readonly rounds: string;
  readonly steps: readonly OutlinedActivityStep[];
  readonly activities?: readonly string[];
}

/** A question at which work stops. */
export interface OutlinedCheckpoint {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly when?: string;
  readonly approver: Approver;
  readonly options: readonly OutlinedOption[];
}

/** An answer, and what it does. */
export interface OutlinedOption {
  readonly id: string;
  readonly label: string;
  readonly sets?: { readonly [name: string]: Json };
  readonly leadsTo?: string;
  readonly skips?: readonly string[];
}

/** A way on from an activity. */
export interface OutlinedWay {
  /** Id of an activity or a reserved word; absent for a branch that leads nowhere in particular. */
  readonly to?: string;
  readonly when?: string;
  readonly isDefault: boolean;
  /** The decision it is a branch of. */
  readonly decision?: string;
}

/** The outline of a workflow. */
export function outlineOf(workflow: Workflow): Outline {
  const common = { ...summarize(workflow), digest: workflow.digest, kind: workflow.kind };
  if (workflow.kind === 'activities') {
    const { variables = [] } = workflow.definition;
    return {
      ...common,
      variables: variables.map(({ name, type, description, defaultValue }) => ({
        name,
        type,
        ...(description !== undefined && { description }),
        ...(defaultValue !== undefined && { default: defaultValue }),
      })),
      activities: outlineActivities(workflow),
    };
  }
  const { variables = [], steps } = workflow.definition;
  return {
    ...common,
    variables: variables.map(({ name, type, description, default: value }) => ({
      name,
      type,
      ...(description !== undefined && { description }),
      ...(value !== undefined && { default: value }),
    })),
    steps: outlineSteps(steps),
  };
}
