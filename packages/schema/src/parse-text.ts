import { maxDefinitionBytes } from './limits.ts';
import type { Meter } from './meter.ts';
import { spend } from './meter.ts';
import { refused, tooLarge } from './parsed-text.ts';
import type { ParsedText } from './parsed-text.ts';
import { readJson } from './read-json.ts';
import { readToon } from './read-toon.ts';
import { readYaml } from './read-yaml.ts';

const parsers = { json: readJson, toon: readToon, yaml: readYaml } as const;

/** A text in a notation that can be parsed. */
export interface NotatedText {
  readonly text: string;
  readonly format: 'json' | 'toon' | 'yaml';
}

/** Parses a text that is not too large. */
export function parseText({ text, format }: NotatedText): ParsedText | Promise<ParsedText> {
  return isTooLarge(text) ? refused(tooLarge('The text has')) : parsers[format](text);
}

/**
 * Pays on a short meter for reading a text: parsing it, finding places in it, its shape and lint. What that may take at most
 * is limited by the bytes and values a text may have.
 */
export function payForText(text: string, meter: Meter): void {
  if (meter.isShort === true) spend(meter, Math.min(text.length, maxDefinitionBytes) * textSteps);
}

/** For each character, as measured with the worst texts. */
const textSteps = 100;

/** A text without its byte order mark. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Whether a text is over {@link maxDefinitionBytes}. */
export function isTooLarge(text: string): boolean {
  if (text.length > maxDefinitionBytes) return true;
  // A UTF-16 unit is at most three bytes of UTF-8.
  return text.length * 3 > maxDefinitionBytes && new TextEncoder().encode(text).length > maxDefinitionBytes;
}
