import { limitFindings, toIssues } from '../findings/collect-findings.ts';
import type { Issue } from '../findings/finding.ts';
import type { Json, JsonObject } from '../json.ts';
import { freezeAndInspect } from '../text/hidden-characters.ts';
import { parseText, withoutMark } from '../text/parse-text.ts';
import { checkShape } from './check-shape.ts';
import type { DefinitionText } from './definition-reader.ts';

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
export interface ChecksReading {
  readonly value?: Checks;
  readonly issues: readonly Issue[];
}

/**
 * Reads the file with the checks of a project: syntax and limits, then the shape. Problems are returned, never thrown.
 *
 * @example
 * ```ts
 * const { value, issues } = await readChecks('checks: {test: {run: npm test}}');
 * ```
 */
export async function readChecks(source: string): Promise<ChecksReading> {
  const text = withoutMark(source);
  const parsed = await parseText({ text, format: 'yaml' });
  const findings = parsed.findings.length > 0 ? parsed.findings : await checkValue(parsed.value);
  const issues = findings.length === 0 ? [] : await toIssues(limitFindings(findings), parsed, text);
  const isRight = findings.every(({ severity }) => severity !== 'error');
  return { ...(isRight && { value: parsed.value as Checks }), issues };
}

async function checkValue(value: unknown): Promise<ReturnType<typeof checkShape>> {
  const { validateChecks } = await import('../generated/validate-checks.js');
  return [...freezeAndInspect(value), ...checkShape(value, validateChecks)];
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
  const findings = parsed.findings.length > 0 ? parsed.findings : await checkTestValue(parsed.value);
  const issues = findings.length === 0 ? [] : await toIssues(limitFindings(findings), parsed, text);
  const isRight = findings.every(({ severity }) => severity !== 'error');
  return { ...(isRight && { value: parsed.value as WorkflowTests }), issues };
}

async function checkTestValue(value: unknown): Promise<ReturnType<typeof checkShape>> {
  const { validateWorkflowTest } = await import('../generated/validate-workflow-test.js');
  return [...freezeAndInspect(value), ...checkShape(value, validateWorkflowTest)];
}
