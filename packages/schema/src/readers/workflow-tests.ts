import { limitFindings, toIssues } from '../findings/collect-findings.ts';
import type { Issue } from '../findings/finding.ts';
import type { Json, JsonObject } from '../json.ts';
import { checkShape } from '../schemas/check-shape.ts';
import { freezeAndInspect } from '../text/hidden-characters.ts';
import { parseText, withoutMark } from '../text/parse-text.ts';
import type { DefinitionText } from './definition-reader.ts';

/** A value for an id: one for all times, or a list with one per time. */
export type EachTime<Value> = Value | readonly Value[];

/** An output that the criteria are expected to refuse. */
export interface ExpectedRefusal {
  readonly step: string;
  /** Part of the reason. */
  readonly because?: string;
}

/** The expected result of a test. Absent fields are not checked. */
export interface Expectation {
  /** All steps or activities, in the order in which they are entered. */
  readonly path?: readonly string[];
  /** Steps or activities that are entered, in any order. */
  readonly reached?: readonly string[];
  readonly notReached?: readonly string[];
  /** Outputs that are refused, in order. If absent, none may be refused. */
  readonly refused?: readonly (string | ExpectedRefusal)[];
  /** Default `completed`. */
  readonly outcome?: 'completed' | 'unfinished';
  /** Variables at the end of the session; `null` means not set. */
  readonly variables?: JsonObject;
  /** Parts of the expected warnings. If absent, there must be none. */
  readonly warnings?: readonly string[];
}

/**
 * One test of a workflow (docs/authoring.md#testing-a-workflow). Ids name steps, activities and checkpoints, or one
 * iteration: `loop@1::step`.
 */
export interface WorkflowTest {
  readonly name: string;
  /** Variables the session starts with. */
  readonly context?: JsonObject;
  /** Outputs by step. A value that isn't text is submitted as JSON. A step without criteria needs none. */
  readonly outputs?: { readonly [step: string]: EachTime<Json> };
  /** Variables to set on leaving a step of a step workflow, or an activity. */
  readonly sets?: { readonly [place: string]: EachTime<JsonObject> };
  /** The option to choose, by checkpoint. */
  readonly answers?: { readonly [checkpoint: string]: EachTime<string> };
  readonly expect?: Expectation;
}

/** A file of tests next to a definition. */
export interface WorkflowTests {
  /**
   * Id of the workflow. If absent, the definition in the same folder whose file name or id is the part of the test
   * file's name before `.test`.
   */
  readonly workflow?: string;
  readonly tests: readonly WorkflowTest[];
}

/** The result of reading a file of tests: the tests, or the issues in the order of the text. */
export interface TestsReading {
  readonly value?: WorkflowTests;
  readonly issues: readonly Issue[];
}

/**
 * Reads a file of tests: syntax and limits, then the shape. Problems are returned, never thrown.
 *
 * @example
 * ```ts
 * const { value, issues } = await readWorkflowTests({ text, format: 'yaml' });
 * ```
 */
export async function readWorkflowTests(source: DefinitionText): Promise<TestsReading> {
  const text = withoutMark(source.text);
  const parsed = await parseText({ ...source, text });
  const findings = parsed.findings.length > 0 ? parsed.findings : await checkValue(parsed.value);
  const issues = findings.length === 0 ? [] : await toIssues(limitFindings(findings), parsed, text);
  const isRight = findings.every(({ severity }) => severity !== 'error');
  return { ...(isRight && { value: parsed.value as WorkflowTests }), issues };
}

async function checkValue(value: unknown): Promise<ReturnType<typeof checkShape>> {
  const { validateWorkflowTest } = await import('../generated/validate-workflow-test.js');
  return [...freezeAndInspect(value), ...checkShape(value, validateWorkflowTest)];
}
