import { findDuplicateKeys, locateInJson } from './json-tree.ts';
import { findSyntaxError } from './json-syntax.ts';
import { maxDefinitionValues } from './limits.ts';
import { countMembers, measureJson } from './measure-json.ts';
import { refused, tooDeep, tooManyValues } from './parsed-text.ts';
import type { ParsedText } from './parsed-text.ts';

/** Parses strict JSON. For good JSON no tree of positions is built; `jsonc-parser` is loaded only to say where something is. */
export async function readJson(text: string): Promise<ParsedText> {
  const { members, values, tooDeepAt } = measureJson(text);
  if (tooDeepAt !== undefined) return refused(tooDeep(tooDeepAt));
  if (values > maxDefinitionValues) return refused(tooManyValues('values'));
  const parsed = parse(text);
  if (parsed === undefined) return refused(await findSyntaxError(text));
  const findings = countMembers(parsed.value) === members ? [] : await findDuplicateKeys(text);
  return { value: parsed.value, findings, locator: () => locateInJson(text) };
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
