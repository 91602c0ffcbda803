import { checkReferences } from './check-references.ts';
import { checkShape, unlisted } from './check-shape.ts';
import { digestOf } from './digest.ts';
import { inspectValues } from './inspect-values.ts';
import type { Issue } from './issue.ts';
import { isJsonObject } from './json.ts';
import { maxDefinitionBytes, maxIssues } from './limits.ts';
import { lintDefinition } from './lint-definition.ts';
import { refused, tooLarge } from './parsed-text.ts';
import type { Found, ParsedText } from './parsed-text.ts';
import { readJson } from './read-json.ts';
import { readYaml } from './read-yaml.ts';
import type { DefinitionCheck, DefinitionReader, DefinitionText } from './reading.ts';
import type { StepWorkflowDefinition } from './step-workflow.ts';
import { positionsIn } from './text-position.ts';
import type { StepWorkflow } from './workflow.ts';
import { isWorkflowId } from './workflow-id.ts';

/** What a reader does beyond the shape of a definition. */
export interface ReaderOptions {
  /** Run in this order over definitions whose shape is right. */
  readonly checks?: readonly DefinitionCheck[];
}

/**
 * Makes a reader of definitions in JSON and YAML: syntax and limits first, then the shape, then references, lint and
 * the given checks. What it reads is frozen.
 *
 * @see docs/authoring.md
 */
export function createReader({ checks = [] }: ReaderOptions = {}): DefinitionReader {
  return async ({ text, format }) => {
    const source = { format, text: text.startsWith('\uFEFF') ? text.slice(1) : text };
    const parsed = await parse(source);
    const findings = parsed.findings.length > 0 ? capped(parsed.findings) : await judge(parsed.value, checks);
    const id = idOf(parsed.value);
    const issues = findings.length === 0 ? [] : await placed(findings, parsed, source.text);
    const isServed = findings.every(({ severity, served }) => severity !== 'error' || served === true);
    const workflow = isServed ? workflowOf(parsed.value as StepWorkflowDefinition) : undefined;
    return { ...(workflow && { workflow }), ...(id !== undefined && { id }), issues };
  };
}

function parse({ text, format }: DefinitionText): ParsedText | Promise<ParsedText> {
  if (isTooLarge(text)) return refused(tooLarge('The text has'));
  return format === 'json' ? readJson(text) : readYaml(text);
}

function isTooLarge(text: string): boolean {
  if (text.length > maxDefinitionBytes) return true;
  // A UTF-16 unit is at most three bytes of UTF-8.
  return text.length * 3 > maxDefinitionBytes && new TextEncoder().encode(text).length > maxDefinitionBytes;
}

/** Everything found in a value that was read. */
async function judge(value: unknown, checks: readonly DefinitionCheck[]): Promise<readonly Found[]> {
  const inspected = inspectValues(value);
  const shape = checkShape(value);
  if (shape.length > 0) return [...shape, ...capped(inspected)];
  const definition = value as StepWorkflowDefinition;
  const found = [...inspected, ...checkReferences(definition), ...lintDefinition(definition)];
  for (const check of checks) found.push(...(await check(definition)));
  return capped(found);
}

/** At most {@link maxIssues} findings, what keeps a workflow from being served first, and one that stands for the rest. */
function capped(findings: readonly Found[]): readonly Found[] {
  const ranked = findings.toSorted((a, b) => rank(a) - rank(b));
  const next = ranked[maxIssues];
  return next === undefined ? findings : [...ranked.slice(0, maxIssues), unlisted(next)];
}

function rank({ severity, served }: Found): number {
  if (severity === 'warning') return 2;
  return served === true ? 1 : 0;
}

/** Findings with their places in the text, in its order. */
async function placed(
  findings: readonly Found[],
  { locator }: ParsedText,
  text: string,
): Promise<readonly Issue[]> {
  const locate = await locator();
  const positionOf = positionsIn(text);
  const issues = findings.map(({ offset, atKey, ...finding }) => ({
    offset: offset ?? locate(finding.pointer, atKey ?? false),
    finding,
  }));
  return issues
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, finding }) => ({ ...finding, ...positionOf(offset) }));
}

function idOf(value: unknown): string | undefined {
  const id = isJsonObject(value) ? value['id'] : undefined;
  return isWorkflowId(id) ? id : undefined;
}

function workflowOf(definition: StepWorkflowDefinition): StepWorkflow {
  return Object.freeze({ kind: 'steps', id: definition.id, digest: digestOf(definition), definition });
}
