import { isJsonObject } from '@workflowlookup/schema';
import type { JsonObject } from '@workflowlookup/schema';

/**
 * Describes criteria in sentences, for an agent that is about to write the output: the message of each rule, or what it
 * expects. Never throws; skips anything that isn't a rule.
 */
export function describeCriteria(criteria: unknown): readonly string[] {
  return sentences(criteria, 0);
}

export function describeMember(member: unknown): string {
  return joined('All of', sentences(member, 0));
}

function sentences(criteria: unknown, depth: number): readonly string[] {
  if (depth > 64) return [];
  if (Array.isArray(criteria)) return criteria.flatMap((member) => sentences(member, depth + 1));
  if (typeof criteria === 'string') return [`The output must match the pattern ${criteria}`];
  if (!isJsonObject(criteria)) return [];
  if (Object.hasOwn(criteria, 'type')) return ruleSentences(criteria);
  if (Object.hasOwn(criteria, 'and')) return sentences(criteria['and'], depth + 1);
  if (Object.hasOwn(criteria, 'or')) return composed('One of', alternatives(criteria['or'], depth + 1));
  return Object.hasOwn(criteria, 'not')
    ? composed('Not', [joined('All of', sentences(criteria['not'], depth + 1))])
    : [];
}

function alternatives(members: unknown, depth: number): readonly string[] {
  return Array.isArray(members) ? members.map((member) => joined('All of', sentences(member, depth))) : [];
}

function joined(lead: string, parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${lead}: ${list(parts)}`;
}

function composed(lead: string, parts: readonly string[]): readonly string[] {
  const said = parts.filter((part) => part !== '');
  return said.length === 0
    ? []
    : [lead === 'One of' && said.length === 1 ? list(said) : `${lead}: ${list(said)}`];
}

function list(parts: readonly string[]): string {
  return parts.map((part) => part.replace(/\.$/, '')).join('; ');
}

function ruleSentences(rule: JsonObject): readonly string[] {
  if (typeof rule['message'] === 'string') return [rule['message']];
  switch (rule['type']) {
    case 'contains':
      return [`The output must contain ${JSON.stringify(rule['value'])}.`];
    case 'regex':
      return sentences(rule['pattern'], 0);
    case 'length':
      return [`The output must have ${bounds(rule)} characters.`];
    case 'schema':
      return ['The output must be JSON that meets the schema.'];
    default:
      return [];
  }
}

function bounds({ min, max }: JsonObject): string {
  if (typeof min === 'number' && typeof max === 'number') return `at least ${min} and at most ${max}`;
  return typeof max === 'number' ? `at most ${max}` : `at least ${typeof min === 'number' ? min : 0}`;
}
