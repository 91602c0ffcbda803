import type { Json, JsonObject } from './json.ts';

/** What is given for an id: one value for every time, or a list with one for each. */
export type EachTime<Value> = Value | readonly Value[];

/** An output that was handed in and that the criteria refused. */
export interface ExpectedRefusal {
  readonly step: string;
  /** Part of what is said against it. */
  readonly because?: string;
}

/** How a test is to come out; what is left out is not looked at. */
export interface Expectation {
  /** The steps or activities in the order in which they are entered, all of them. */
  readonly path?: readonly string[];
  /** Steps or activities that are entered, in whatever order. */
  readonly reached?: readonly string[];
  readonly notReached?: readonly string[];
  /** Outputs that are refused, in their order; without it none may be. */
  readonly refused?: readonly (string | ExpectedRefusal)[];
  /** Default `completed`. */
  readonly outcome?: 'completed' | 'unfinished';
  /** Variables and their values at the end; `null` is one that is not set. */
  readonly variables?: JsonObject;
  /** Parts of the warnings that come; without it none may. */
  readonly warnings?: readonly string[];
}

/** One walk through a workflow (docs/authoring.md#testing-a-workflow). Ids are those of steps, activities and checkpoints, or of one round: `loop@1::step`. */
export interface WorkflowTest {
  readonly name: string;
  /** Variables the session starts with. */
  readonly context?: JsonObject;
  /** By step; what is no text is handed in as JSON. A step without criteria needs none. */
  readonly outputs?: { readonly [step: string]: EachTime<Json> };
  /** By step of a step workflow, or activity: variables that are set on leaving it. */
  readonly sets?: { readonly [place: string]: EachTime<JsonObject> };
  /** By checkpoint: the option that is chosen. */
  readonly answers?: { readonly [checkpoint: string]: EachTime<string> };
  readonly expect?: Expectation;
}

/** A file of tests beside a definition. */
export interface WorkflowTests {
  /** Id of the workflow. Where it is left out: the definition beside the file that is named as what stands before `.test`, or that has it as its id. */
  readonly workflow?: string;
  readonly tests: readonly WorkflowTest[];
}
