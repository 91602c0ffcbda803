import { compilePattern, showValue } from '@workflowlookup/conditions';
import type { Criteria, Finding, Meter, Rule } from '@workflowlookup/schema';
import { isJsonObject, spend } from '@workflowlookup/schema';
import { deadSchema, typesOf } from './impossible-schema.ts';
import { isMeasured } from './measure-schema.ts';

type RegexRule = Extract<Rule, { readonly type: 'regex' }>;

/** A rule that must be met, or must not. */
interface Claim {
  readonly rule: Rule;
  readonly negated: boolean;
}

/**
 * Finds criteria that no output can meet, as deep in them as it shows. Proofs are simple: lengths, texts that must and
 * must not be there, patterns found in every text, JSON Schemas that contradict themselves.
 */
export function impossibleIn(criteria: Criteria, pointer: string, meter: Meter): readonly Finding[] {
  if (typeof criteria === 'string') return [];
  if ('type' in criteria) return impossibleRule(criteria, pointer, meter);
  if ('or' in criteria)
    return criteria.or.flatMap((one, at) => impossibleIn(one, `${pointer}/or/${at}`, meter));
  const members = 'not' in criteria ? [] : 'and' in criteria ? criteria.and : criteria;
  const base = 'and' in criteria ? `${pointer}/and` : pointer;
  const inner = members.flatMap((member, at) => impossibleIn(member, `${base}/${at}`, meter));
  if (inner.length > 0) return inner;
  const why = contradiction(claimsOf(criteria, false), meter);
  return why === undefined ? [] : [finding(pointer, why)];
}

function impossibleRule(rule: Rule, pointer: string, meter: Meter): readonly Finding[] {
  if (rule.type === 'schema' && isMeasured(rule.schema)) {
    const dead = deadSchema(rule.schema, `${pointer}/schema`);
    return dead === undefined ? [] : [finding(dead.pointer, `No JSON meets this schema: ${dead.why}.`)];
  }
  const why = contradiction([{ rule, negated: false }], meter);
  return why === undefined ? [] : [finding(pointer, why)];
}

function finding(pointer: string, message: string): Finding {
  const suggestion = 'Correct the criteria: until then every output is refused.';
  return { severity: 'warning', code: 'impossible-criteria', pointer, message, suggestion };
}

/** Rules that must all be met together; those with a condition may be left out, and claim nothing. */
function claimsOf(criteria: Criteria, negated: boolean): readonly Claim[] {
  if (typeof criteria === 'string') return [{ rule: { type: 'regex', pattern: criteria }, negated }];
  if ('type' in criteria) return criteria.condition === undefined ? [{ rule: criteria, negated }] : [];
  if ('not' in criteria) return claimsOf(criteria.not, !negated);
  const joinsAll = !('or' in criteria);
  const members = 'and' in criteria ? criteria.and : 'or' in criteria ? criteria.or : criteria;
  return joinsAll === negated && members.length > 1
    ? []
    : members.flatMap((member) => claimsOf(member, negated));
}

function contradiction(claims: readonly Claim[], meter: Meter): string | undefined {
  const wanted = claims.filter(({ negated }) => !negated).map(({ rule }) => rule);
  const unwanted = claims.filter(({ negated }) => negated).map(({ rule }) => rule);
  return lengths(wanted) ?? types(wanted) ?? clash(wanted, unwanted, meter) ?? everyText(unwanted, meter);
}

function lengths(wanted: readonly Rule[]): string | undefined {
  const min = Math.max(0, ...wanted.map(leastLength));
  const max = Math.min(...wanted.map((rule) => (rule.type === 'length' ? (rule.max ?? Infinity) : Infinity)));
  return min > max ? `No output has at least ${min} and at most ${max} characters.` : undefined;
}

function leastLength(rule: Rule): number {
  if (rule.type === 'length') return rule.min ?? 0;
  return rule.type === 'contains' ? (rule.value ?? '').length : 0;
}

function types(wanted: readonly Rule[]): string | undefined {
  const named = wanted.flatMap((rule) =>
    rule.type === 'schema' && isJsonObject(rule.schema) ? [(typesOf(rule.schema) ?? []).map(String)] : [],
  );
  const [first = [], ...others] = named.filter((some) => some.length > 0);
  const other = others.find((some) => !some.some((type) => first.includes(type) || isNumber(type, first)));
  return other && `No JSON is of type ${first.join(' or ')} and of type ${other.join(' or ')}.`;
}

function isNumber(type: string, others: readonly string[]): boolean {
  return (
    (type === 'integer' && others.includes('number')) || (type === 'number' && others.includes('integer'))
  );
}

/** Something that must be there, and that brings along what must not. */
function clash(wanted: readonly Rule[], unwanted: readonly Rule[], meter: Meter): string | undefined {
  for (const rule of wanted) {
    const other = unwanted.find((one) => brings(rule, one, meter));
    if (other !== undefined) return `No output ${meets(rule)} and does not: ${meets(other)}.`;
  }
  return undefined;
}

function brings(rule: Rule, other: Rule, meter: Meter): boolean {
  spend(meter, 50);
  if (rule.type === 'contains') return bringsText(rule.value ?? '', other, meter);
  return rule.type === 'regex' && other.type === 'regex' && isSamePattern(rule, other);
}

function bringsText(text: string, other: Rule, meter: Meter): boolean {
  spend(meter, text.length);
  if (other.type === 'contains') return text.includes(other.value ?? '');
  return other.type === 'regex' && isFoundWithin(other, text, meter);
}

function isSamePattern(one: RegexRule, other: RegexRule): boolean {
  return one.pattern === other.pattern && (one.flags ?? '') === (other.flags ?? '');
}

function meets(rule: Rule): string {
  if (rule.type === 'contains') return `contains ${showValue(rule.value)}`;
  return rule.type === 'regex' ? `matches ${showValue(rule.pattern)}` : `meets the ${rule.type} rule`;
}

/** What must not be there and is in every text. */
function everyText(unwanted: readonly Rule[], meter: Meter): string | undefined {
  const met = unwanted.find(
    (rule) =>
      (rule.type === 'contains' && rule.value === '') ||
      (rule.type === 'regex' && isFoundWithin(rule, '', meter)) ||
      (rule.type === 'length' && (rule.min ?? 0) <= 0 && rule.max === undefined),
  );
  return met && `Every output ${meets(met)}, which must not be.`;
}

/** Whether a pattern is found in every text that has this one in it: it looks at nothing around what it matches. */
function isFoundWithin({ pattern = '', flags = '' }: RegexRule, text: string, meter: Meter): boolean {
  if (/[$^]|\\[ABbzZ]/.test(pattern)) return false;
  const compiled = compilePattern(pattern, flags, meter);
  if (!compiled.ok) return false;
  spend(meter, compiled.size * text.length);
  return compiled.test(text);
}
