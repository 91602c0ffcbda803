import type { Issue } from './issue.ts';
import type { Json } from './json.ts';
import type { NotatedText } from './parse-text.ts';
import { parseText, withoutMark } from './parse-text.ts';
import { placed } from './place-findings.ts';

/** What a text says, whatever it is about; or what keeps it from being read. */
export interface ValueReading {
  /** Absent where an issue is an error. */
  readonly value?: Json;
  readonly issues: readonly Issue[];
}

/** Reads a text as definitions are read, under their limits, without judging what it says. */
export async function readValue(source: NotatedText): Promise<ValueReading> {
  const text = withoutMark(source.text);
  const parsed = await parseText({ ...source, text });
  const { value, findings, warnings = [] } = parsed;
  const issues = await placed([...findings, ...warnings], parsed, text);
  return findings.length > 0 ? { issues } : { value: value as Json, issues };
}
