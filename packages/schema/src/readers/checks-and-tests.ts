import type { Validator } from '../generated/validate-step-workflow.js';
import type { Json, JsonObject } from '../json.ts';
import { toIssues } from '../findings/collect-findings.ts';
import { freezeAndInspect } from '../text/hidden-characters.ts';
import type { NotatedText, ValueReading } from '../text/parse-text.ts';
import { parseText } from '../text/parse-text.ts';
import { checkShape } from './check-shape.ts';
import type { DefinitionText } from './definition-reader.ts';

/** Reads a file: syntax and limits, then the shape. */
async function readShaped<Value>(source: NotatedText, validate: Validator): Promise<ValueReading<Value>> {
  const parsed = await parseText(source);
  const findings =
    parsed.findings.length > 0
      ? parsed.findings
      : [...freezeAndInspect(parsed.value), ...checkShape(parsed.value, validate)];
  const issues = await toIssues(findings, parsed);
  const isRight = findings.every(({ severity }) => severity !== 'error');
  return { ...(isRight && { value: parsed.value as Value }), issues };
}

/** A file that a check writes, or a pattern of such files. */
export type Report = { readonly junit: string } | { readonly sarif: string } | { readonly lcov: string };

/** A command of a project that passes or fails (docs/evidence.md#fields-of-checks). */
export interface Check {
  /** A list is run as it is, a text is run by the shell. */
  readonly run: string | readonly string[];
  /** Such as `90s`, `10m` or `1h`. Default `10m`. */
  readonly timeout?: string;
  readonly reports?: readonly Report[];
  /** Environment variables that the command gets although their names look like secrets. */
  readonly env?: readonly string[];
  /** Files, or values in JSON files, that decide what the command does. They are trusted together with the check. */
  readonly also_trust?: readonly string[];
}

/** The checks of a project. */
export interface Checks {
  readonly checks: Readonly<Record<string, Check>>;
  /** The GitHub repository whose check runs are read. */
  readonly github?: { readonly repository: string };
}

/** The result of reading a file of checks: the checks, or the issues in the order of the text. */
export type ChecksReading = ValueReading<Checks>;

/**
 * Reads the file with the checks of a project: syntax and limits, then the shape. Problems are returned, never thrown.
 *
 * @example
 * ```ts
 * const { value, issues } = await readChecks('checks: {test: {run: npm test}}');
 * ```
 */
export async function readChecks(text: string): Promise<ChecksReading> {
  const { validateChecks } = await import('../generated/validate-checks.js');
  return readShaped({ text, format: 'yaml' }, validateChecks);
}

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
export type TestsReading = ValueReading<WorkflowTests>;

/**
 * Reads a file of tests: syntax and limits, then the shape. Problems are returned, never thrown.
 *
 * @example
 * ```ts
 * const { value, issues } = await readWorkflowTests({ text, format: 'yaml' });
 * ```
 */
export async function readWorkflowTests(source: DefinitionText): Promise<TestsReading> {
  const { validateWorkflowTest } = await import('../generated/validate-workflow-test.js');
  return readShaped(source, validateWorkflowTest);
}
