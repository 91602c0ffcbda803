import { fileMessages } from '../messages/files.ts';
import { toIssues, tooCostly } from '../findings/collect-findings.ts';
import type { Finding, Issue } from '../findings/finding.ts';
import { isFatal } from '../findings/finding.ts';
import { validateStepWorkflow } from '../generated/validate-step-workflow.js';
import { fromPointer, isJsonObject, digestOf } from '../json.ts';
import type { Meter } from '../limits.ts';
import { Exhausted, maxReadingSteps } from '../limits.ts';
import type { VariablesOf } from '../lint/variable-uses.ts';
import { checkReferences, lintDefinition } from '../lint/check-steps.ts';
import { checkShape } from './check-shape.ts';
import { inspectText, freezeAndInspect } from '../text/hidden-characters.ts';
import { parseText, payForText } from '../text/parse-text.ts';
import type { TextFinding } from '../text/parsed-text.ts';
import type { StepWorkflowDefinition } from '../workflow/step-workflow.ts';
import type { StepWorkflow } from '../workflow/workflow.ts';
import { isWorkflowId } from '../workflow/workflow.ts';

/** The text of a definition file. */
export interface DefinitionText {
  readonly text: string;
  readonly format: 'json' | 'yaml';
}

/** The result of reading a definition: the workflow if it can be served, and every issue in the order of the text. */
export interface Reading {
  readonly workflow?: StepWorkflow;
  /** The id in the text, even if the definition can't be served. Absent if there is no well-formed id. */
  readonly id?: string;
  readonly issues: readonly Issue[];
}

/** A check of a definition whose shape is valid. It pays from the budget for reading the definition. */
export type DefinitionCheck = (
  definition: StepWorkflowDefinition,
  meter?: Meter,
) => readonly Finding[] | Promise<readonly Finding[]>;

/**
 * Reads and checks a definition. Problems are returned, never thrown. It may take {@link maxReadingSteps}; if a smaller
 * allowance on this thread runs out, it throws `TooLongHere`.
 */
export type DefinitionReader = (source: DefinitionText, allowance?: Meter) => Promise<Reading>;

/** Checks that go beyond the shape of a definition. */
export interface ReaderOptions {
  /** Run in this order on definitions whose shape is valid. */
  readonly checks?: readonly DefinitionCheck[];
  /** Tells lint which variables conditions use. Without it, lint ignores conditions. */
  readonly variablesOf?: VariablesOf;
}

/**
 * Creates a reader for definitions in JSON and YAML. It checks syntax and limits, then the shape, then references and
 * lint, then runs the given checks. The definitions it returns are frozen.
 *
 * @see docs/authoring.md
 * @example
 * ```ts
 * const read = createReader();
 * const { workflow, issues } = await read({ text: '{"id":"review"}', format: 'json' });
 * ```
 */
export function createReader({ checks = [], variablesOf }: ReaderOptions = {}): DefinitionReader {
  return async (source, meter = { left: maxReadingSteps }) => {
    payForText(source.text, meter);
    const parsed = await parseText(source);
    const isRead = parsed.findings.length === 0;
    const judged = isRead ? await checkValue(parsed.value, { checks, variablesOf }, meter) : parsed.findings;
    const findings = isRead ? [...judged, ...inspectText(parsed.text, judged)] : judged;
    const id = idOf(parsed.value);
    const issues = await toIssues(findings, parsed);
    const workflow = findings.some(isFatal) ? undefined : workflowOf(parsed.value as StepWorkflowDefinition);
    return { ...(workflow && { workflow }), ...(id !== undefined && { id }), issues };
  };
}

/** Returns every finding in a parsed value. */
async function checkValue(
  value: unknown,
  { checks = [], variablesOf }: { [Option in keyof ReaderOptions]: ReaderOptions[Option] | undefined },
  meter: Meter,
): Promise<readonly TextFinding[]> {
  const inspected = freezeAndInspect(value);
  if (isJsonSchema(value)) return [{ ...fileMessages.jsonSchemaFile(), pointer: '/$schema' }];
  const shape = checkShape(value, validateStepWorkflow);
  if (shape.length > 0)
    return [...shape, ...inspected, ...(await errorsBeside(value, shape, { checks, meter }))];
  const definition = value as StepWorkflowDefinition;
  const found = [...inspected, ...checkReferences(definition), ...lintDefinition(definition, variablesOf)];
  try {
    for (const check of checks) found.push(...(await check(definition, meter)));
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    found.push(tooCostly);
  }
  return found;
}

/**
 * Returns the errors that are not about the shape of a definition, such as repeated ids and unusable conditions, so
 * that an author sees all errors at once.
 */
async function errorsBeside(
  value: unknown,
  shape: readonly TextFinding[],
  { checks, meter }: { readonly checks: NonNullable<ReaderOptions['checks']>; readonly meter: Meter },
): Promise<readonly TextFinding[]> {
  const definition = withoutWrongValues(value, shape) as StepWorkflowDefinition;
  const found: TextFinding[] = [];
  for (const check of [checkReferences, ...checks]) {
    try {
      found.push(...(await check(definition, meter)));
    } catch {
      // The checks expect a valid shape. A check that throws without one reports nothing now. It runs again once the
      // shape is valid.
    }
  }
  const isNew = ({ severity, pointer }: TextFinding): boolean =>
    severity === 'error' &&
    !shape.some((known) => `${pointer}/`.startsWith(`${known.pointer}/`) && known.pointer !== '');
  return found.filter(isNew);
}

/**
 * Returns a copy without the properties whose values have a wrong shape. Keeps list items, so that pointers still
 * match.
 */
function withoutWrongValues(value: unknown, shape: readonly TextFinding[]): unknown {
  const copy = structuredClone(value);
  for (const { code, pointer } of shape) {
    if (code !== 'wrong-value') continue;
    const path = fromPointer(pointer);
    const last = path.at(-1);
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((at, part) => (isContainer(at) ? at[part] : undefined), copy);
    if (last !== undefined && isJsonObject(parent)) delete (parent as Record<string, unknown>)[last];
  }
  return copy;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Folders of definitions sometimes contain JSON Schemas. Reporting missing properties of a workflow wouldn't help their
 * authors.
 */
function isJsonSchema(value: unknown): boolean {
  if (!isJsonObject(value) || Object.hasOwn(value, 'steps')) return false;
  const { $schema: schema } = value;
  return typeof schema === 'string' && /^https?:\/\/json-schema\.org\//.test(schema);
}

function idOf(value: unknown): string | undefined {
  const id = isJsonObject(value) ? value['id'] : undefined;
  return isWorkflowId(id) ? id : undefined;
}

function workflowOf(definition: StepWorkflowDefinition): StepWorkflow {
  return Object.freeze({ kind: 'steps', id: definition.id, digest: digestOf(definition), definition });
}
