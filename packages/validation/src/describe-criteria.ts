import { isJsonObject } from '@workflowlookup/schema';
import type { JsonObject } from '@workflowlookup/schema';
import { allOf, mustContain, mustHaveLength, mustMatch, mustMeetSchema, not, oneOf } from './messages.ts';

/**
 * Describes criteria in sentences, for an agent that is about to write the output: the message of each rule, or what it
 * expects. Never throws; skips anything that isn't a rule.
 */
export function describeCriteria(criteria: unknown): readonly string[] {
  return sentences(criteria, 0);
}

export function describeMember(member: unknown): string {
  return allOf(sentences(member, 0));
}

function sentences(criteria: unknown, depth: number): readonly string[] {
  if (depth > 64) return [];
  if (Array.isArray(criteria)) return criteria.flatMap((member) => sentences(member, depth + 1));
  if (typeof criteria === 'string') return [mustMatch(criteria)];
  if (!isJsonObject(criteria)) return [];
  if (Object.hasOwn(criteria, 'type')) return ruleSentences(criteria);
  if (Object.hasOwn(criteria, 'and')) return sentences(criteria['and'], depth + 1);
  if (Object.hasOwn(criteria, 'or')) {
    const members = alternatives(criteria['or'], depth + 1);
    return members.length === 0 ? [] : [oneOf(members)];
  }
  const member = Object.hasOwn(criteria, 'not') ? allOf(sentences(criteria['not'], depth + 1)) : '';
  return member === '' ? [] : [not(member)];
}

function alternatives(members: unknown, depth: number): readonly string[] {
  if (!Array.isArray(members)) return [];
  return members.map((member) => allOf(sentences(member, depth))).filter((text) => text !== '');
}

function ruleSentences(rule: JsonObject): readonly string[] {
  if (typeof rule['message'] === 'string') return [rule['message']];
  switch (rule['type']) {
    case 'contains':
      return [mustContain(rule['value'])];
    case 'regex':
      return sentences(rule['pattern'], 0);
    case 'length':
      return [mustHaveLength(boundOf(rule['min']), boundOf(rule['max']))];
    case 'schema':
      return [mustMeetSchema];
    default:
      return [];
  }
}

function boundOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
