import { checkShape } from './check-shape.ts';
import { inspectValues } from './inspect-values.ts';
import type { Issue } from './issue.ts';
import { parseText, withoutMark } from './parse-text.ts';
import { capped, placed } from './place-findings.ts';
import type { DefinitionText } from './reading.ts';
import type { WorkflowTests } from './workflow-test.ts';

/** What reading a file of tests gave: tests, or what is wrong with them, in the order of the text. */
export interface TestsReading {
  readonly value?: WorkflowTests;
  readonly issues: readonly Issue[];
}

/** Reads a file of tests: syntax and limits, then the shape. What it gets wrong is in the reading, never thrown. */
export async function readWorkflowTests(source: DefinitionText): Promise<TestsReading> {
  const text = withoutMark(source.text);
  const parsed = await parseText({ ...source, text });
  const findings = parsed.findings.length > 0 ? parsed.findings : await judge(parsed.value);
  const issues = findings.length === 0 ? [] : await placed(capped(findings), parsed, text);
  const isRight = findings.every(({ severity }) => severity !== 'error');
  return { ...(isRight && { value: parsed.value as WorkflowTests }), issues };
}

async function judge(value: unknown): Promise<ReturnType<typeof checkShape>> {
  const { validateWorkflowTest } = await import('./generated/validate-workflow-test.js');
  return [...inspectValues(value), ...checkShape(value, validateWorkflowTest)];
}
