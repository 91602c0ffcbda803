import { toIssues } from '../findings/collect-findings.ts';
import type { Issue } from '../findings/finding.ts';
import type { Json } from '../json.ts';
import { fileMessages } from '../messages/files.ts';
import type { Meter } from '../limits.ts';
import { maxDefinitionBytes, spend } from '../limits.ts';
import { readJson } from './json-text.ts';
import type { ParsedText, Position } from './parsed-text.ts';
import { positionsIn, refused } from './parsed-text.ts';
import { readToon } from './toon-text.ts';
import { readYaml } from './yaml-text.ts';

const parsers = { json: readJson, toon: readToon, yaml: readYaml } as const;

/** A text and its notation. */
export interface NotatedText {
  readonly text: string;
  readonly format: 'json' | 'toon' | 'yaml';
}

/** Parses a text unless it is too large. */
export async function parseText(source: NotatedText): Promise<ParsedText> {
  const text = withoutMark(source.text);
  const parsed = isTooLarge(text)
    ? refused({ ...fileMessages.tooLarge('text'), offset: 0 })
    : await parsers[source.format](text);
  return { ...parsed, text };
}

/**
 * Pays on a short meter for reading a text: parsing, locating, checking its shape, lint. The work is limited by the
 * bytes and values that a text may have.
 */
export function payForText(text: string, meter: Meter): void {
  if (meter.isShort === true) spend(meter, Math.min(text.length, maxDefinitionBytes) * textSteps);
}

/** Steps per character, as measured with the worst texts. */
const textSteps = 100;

/** Removes the byte order mark. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Tells whether a text is larger than {@link maxDefinitionBytes}. */
export function isTooLarge(text: string): boolean {
  if (text.length > maxDefinitionBytes) return true;
  // A UTF-16 unit takes at most three bytes in UTF-8.
  return text.length * 3 > maxDefinitionBytes && new TextEncoder().encode(text).length > maxDefinitionBytes;
}

/** The result of reading a text: its value, or the issues that prevent reading it, in the order of the text. */
export interface ValueReading<Value = Json> {
  /** Absent if there is an error. */
  readonly value?: Value;
  readonly issues: readonly Issue[];
}

/** Reads a text with the notation and limits of definitions, without checking its content. */
export async function readValue(source: NotatedText): Promise<ValueReading> {
  const parsed = await parseText(source);
  const { value, findings, warnings = [] } = parsed;
  const issues = await toIssues([...findings, ...warnings], parsed);
  return findings.length > 0 ? { issues } : { value: value as Json, issues };
}

/**
 * Parses a text and returns a function that gives the position of a JSON pointer in it. If the pointer doesn't exist, that
 * is the position of the nearest existing ancestor; if the text can't be read, the position of the error.
 */
export async function createPositions(source: NotatedText): Promise<(pointer: string) => Position> {
  const { text, locator } = await parseText(source);
  const locate = await locator();
  const positionOf = positionsIn(text);
  return (pointer) => positionOf(locate(pointer, false).start);
}
