import type { Activity } from './activity.ts';
import type { ActivityWorkflowDefinition, PartFormat } from './activity-workflow.ts';
import { checkShape } from './check-shape.ts';
import { inspectText, inspectValues } from './inspect-values.ts';
import { isJsonObject } from './json.ts';
import { parseText, withoutMark } from './parse-text.ts';
import type { Found, ParsedText } from './parsed-text.ts';
import type { Skill } from './skill.ts';

/** What each kind of file says once its shape is right. */
export interface PartValues {
  readonly activity: Activity;
  readonly activityWorkflow: ActivityWorkflowDefinition;
  readonly skill: Skill;
}

/** A file that was read. */
export interface ReadPart<Value> {
  /** Absent where the file can't be used. */
  readonly value?: Value;
  /** The id the text names, also where it can't be used. */
  readonly id?: string;
  readonly findings: readonly Found[];
  readonly locator: ParsedText['locator'];
  /** Without its byte order mark. */
  readonly text: string;
}

/** Reads a file of this kind: syntax and limits, then the shape. The value is frozen. */
export async function readPart<Kind extends keyof PartValues>(
  kind: Kind,
  source: { readonly text: string; readonly format: Exclude<PartFormat, 'md'> },
): Promise<ReadPart<PartValues[Kind]>> {
  const text = withoutMark(source.text);
  const { value, findings, warnings = [], locator } = await parseText({ ...source, text });
  const id = isJsonObject(value) && typeof value['id'] === 'string' ? { id: value['id'] } : {};
  if (findings.length > 0) return { ...id, findings: [...findings, ...warnings], locator, text };
  const { activityValidators } = await import('./generated/validate-activity-workflow.js');
  // Older TOON files carry keys of their own: they are kept.
  const unknown = source.format === 'toon' ? 'warning' : 'error';
  const inspected = inspectValues(value);
  const found = [
    ...warnings,
    ...checkShape(value, activityValidators[kind], unknown),
    ...inspected,
    ...inspectText(text, { inValues: inspected, layout: true }),
  ];
  const isRight = found.every(({ severity }) => severity !== 'error');
  return { ...id, ...(isRight && { value: value as PartValues[Kind] }), findings: found, locator, text };
}
