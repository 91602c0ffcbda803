import { checkReferences } from './check-references.ts';
import { checkShape } from './check-shape.ts';
import type { VariablesOf } from './check-variables.ts';
import { digestOf } from './digest.ts';
import { validateStepWorkflow } from './generated/validate-step-workflow.js';
import { inspectText, inspectValues } from './inspect-values.ts';
import { isJsonObject } from './json.ts';
import { lintDefinition } from './lint-definition.ts';
import type { Meter } from './meter.ts';
import { Exhausted, maxReadingSteps } from './meter.ts';
import { parseText, payForText, withoutMark } from './parse-text.ts';
import type { Found } from './parsed-text.ts';
import { capped, placed, tooCostly } from './place-findings.ts';
import type { DefinitionCheck, DefinitionReader } from './reading.ts';
import type { StepWorkflowDefinition } from './step-workflow.ts';
import type { StepWorkflow } from './workflow.ts';
import { isWorkflowId } from './workflow-id.ts';

/** What a reader does beyond the shape of a definition. */
export interface ReaderOptions {
  /** Run in this order over definitions whose shape is right. */
  readonly checks?: readonly DefinitionCheck[];
  /** Lets lint see which variables conditions use; without it, lint looks at no condition. */
  readonly variablesOf?: VariablesOf;
}

/**
 * Makes a reader of definitions in JSON and YAML: syntax and limits first, then the shape, then references, lint and
 * the given checks. What it reads is frozen.
 *
 * @see docs/authoring.md
 */
export function createReader({ checks = [], variablesOf }: ReaderOptions = {}): DefinitionReader {
  return async ({ text, format }, meter = { left: maxReadingSteps }) => {
    payForText(text, meter);
    const source = { format, text: withoutMark(text) };
    const parsed = await parseText(source);
    const isRead = parsed.findings.length === 0;
    const judged = isRead ? await judge(parsed.value, { checks, variablesOf }, meter) : parsed.findings;
    const hidden = isRead ? inspectText(source.text, { inValues: judged, layout: true }) : [];
    const findings = capped([...judged, ...hidden]);
    const id = idOf(parsed.value);
    const issues = findings.length === 0 ? [] : await placed(findings, parsed, source.text);
    const isServed = findings.every(({ severity, served }) => severity !== 'error' || served === true);
    const workflow = isServed ? workflowOf(parsed.value as StepWorkflowDefinition) : undefined;
    return { ...(workflow && { workflow }), ...(id !== undefined && { id }), issues };
  };
}

/** Everything found in a value that was read. */
async function judge(
  value: unknown,
  { checks = [], variablesOf }: { [Option in keyof ReaderOptions]: ReaderOptions[Option] | undefined },
  meter: Meter,
): Promise<readonly Found[]> {
  const inspected = inspectValues(value);
  if (isJsonSchema(value)) return [jsonSchemaFound];
  const shape = checkShape(value, validateStepWorkflow);
  if (shape.length > 0) return [...shape, ...inspected];
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

/** Schemas lie beside definitions now and then; what a workflow needs is of no use to their authors. */
function isJsonSchema(value: unknown): boolean {
  if (!isJsonObject(value) || Object.hasOwn(value, 'steps')) return false;
  const { $schema: schema } = value;
  return typeof schema === 'string' && /^https?:\/\/json-schema\.org\//.test(schema);
}

const jsonSchemaFound: Found = {
  severity: 'error',
  code: 'not-a-definition',
  pointer: '/$schema',
  message: 'A JSON Schema, where a workflow is expected',
  suggestion: 'Move it out of the folders of definitions',
};

function idOf(value: unknown): string | undefined {
  const id = isJsonObject(value) ? value['id'] : undefined;
  return isWorkflowId(id) ? id : undefined;
}

function workflowOf(definition: StepWorkflowDefinition): StepWorkflow {
  return Object.freeze({ kind: 'steps', id: definition.id, digest: digestOf(definition), definition });
}
