import { compilePattern } from '@workflowlookup/conditions';
import type {
  Criteria,
  Finding,
  Json,
  JsonObject,
  Meter,
  Rule,
  DefinitionCheck,
  FileFinding,
  FolderCheck,
  StepWorkflowDefinition,
  WalkedRule,
} from '@workflowlookup/schema';
import {
  defined,
  didYouMean,
  isJsonObject,
  spend,
  toPointer,
  Exhausted,
  maxReadingSteps,
  walkActivitySteps,
  walkRules,
  walkSteps,
} from '@workflowlookup/schema';
import type { Problem } from './read-criteria.ts';
import { maxCompilationSteps } from './read-criteria.ts';
import type { Message } from './messages.ts';
import { messages } from './messages.ts';
import { isKnownKeyword, isMeasured, knownKeywords, mapSchema } from './schema-keywords.ts';
import { inspectCriteria } from './validation-engine.ts';

/** The part of a schema that no JSON value satisfies, and the reason. */
interface Contradiction {
  readonly pointer: string;
  /** One of the {@link messages.contradictions}. */
  readonly why: string;
}

/** Finds a part that makes a JSON Schema reject every value, looking only for contradictions within one object. */
function contradictionIn(schema: Json, pointer = ''): Contradiction | undefined {
  if (schema === false) return { pointer, why: messages.contradictions.isFalse };
  if (!isJsonObject(schema)) return undefined;
  return (
    contradictionInValues(schema, pointer) ??
    contradictionInParts(schema, pointer) ??
    contradictionInTypes(schema, pointer)
  );
}

/** Returns the types a schema names, or `undefined` if it accepts any type. */
function typesOf({ type }: JsonObject): readonly Json[] | undefined {
  if (type === undefined) return undefined;
  return Array.isArray(type) ? (type as readonly Json[]) : [type];
}

function contradictionInValues(schema: JsonObject, pointer: string): Contradiction | undefined {
  const { enum: listed, const: only } = schema;
  const types = typesOf(schema);
  const fits = (value: Json): boolean => types === undefined || types.some((type) => isOf(type, value));
  const key = Array.isArray(listed) && !(listed as readonly Json[]).some(fits) ? 'enum' : 'const';
  if (key === 'const' && (only === undefined || fits(only))) return undefined;
  const why =
    key === 'enum' ? messages.contradictions.enumOfOtherTypes : messages.contradictions.constOfOtherType;
  return { pointer: `${pointer}/${key}`, why };
}

function isOf(type: Json, value: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return isJsonObject(value);
  return typeof value === type;
}

function contradictionInParts(
  { allOf, anyOf, oneOf, not }: JsonObject,
  pointer: string,
): Contradiction | undefined {
  if (not === true || (isJsonObject(not) && Object.keys(not).length === 0)) {
    return { pointer: `${pointer}/not`, why: messages.contradictions.notExcludesAll };
  }
  const inAll = membersOf(allOf).map((part, at) => contradictionIn(part, `${pointer}/allOf/${at}`));
  const dead = inAll.find((one) => one !== undefined);
  if (dead !== undefined) return dead;
  for (const [key, some] of Object.entries({ anyOf, oneOf })) {
    const all = membersOf(some).map((part, at) => contradictionIn(part, `${pointer}/${key}/${at}`));
    if (all.length > 0 && all.every((one) => one !== undefined)) return all[0];
  }
  return undefined;
}

function membersOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** Finds a contradiction in a schema that rejects every value of each type that it allows. */
function contradictionInTypes(schema: JsonObject, pointer: string): Contradiction | undefined {
  const all = (typesOf(schema) ?? [null]).map((type) => deadFor(type, schema, pointer));
  return all.every((one) => one !== undefined) ? all[0] : undefined;
}

function deadFor(type: Json, schema: JsonObject, pointer: string): Contradiction | undefined {
  switch (type) {
    case 'integer':
    case 'number':
      return deadBounds(schema, ['minimum', 'maximum'], pointer);
    case 'string':
      return deadBounds(schema, ['minLength', 'maxLength'], pointer);
    case 'array':
      return deadBounds(schema, ['minItems', 'maxItems'], pointer) ?? deadItems(schema, pointer);
    case 'object':
      return (
        deadBounds(schema, ['minProperties', 'maxProperties'], pointer) ?? deadProperties(schema, pointer)
      );
    default:
      return undefined;
  }
}

function deadBounds(
  schema: JsonObject,
  [least, most]: readonly [string, string],
  pointer: string,
): Contradiction | undefined {
  const [min, max] = [schema[least], schema[most]];
  if (typeof min !== 'number' || typeof max !== 'number' || min <= max) return undefined;
  return { pointer: `${pointer}/${least}`, why: messages.contradictions.bounds(least, min, most, max) };
}

function deadItems(
  { items, prefixItems, minItems = 0 }: JsonObject,
  pointer: string,
): Contradiction | undefined {
  if (items === undefined || prefixItems !== undefined || typeof minItems !== 'number' || minItems < 1) {
    return undefined;
  }
  return contradictionIn(items, `${pointer}/items`);
}

function deadProperties(schema: JsonObject, pointer: string): Contradiction | undefined {
  const { properties = {}, patternProperties, additionalProperties } = schema;
  const known = isJsonObject(properties) ? properties : {};
  for (const [at, name] of membersOf(schema['required']).entries()) {
    if (typeof name !== 'string') continue;
    const own = Object.hasOwn(known, name) ? known[name] : undefined;
    if (own === undefined && additionalProperties === false && patternProperties === undefined) {
      return {
        pointer: `${pointer}/required/${at}`,
        why: messages.contradictions.requiredAndForbidden(name),
      };
    }
    const dead =
      own === undefined ? undefined : contradictionIn(own, `${pointer}/properties${toPointer([name])}`);
    if (dead !== undefined) return dead;
  }
  return undefined;
}

type RegexRule = Extract<Rule, { readonly type: 'regex' }>;

/** A rule that must, or must not, be met. */
interface Claim {
  readonly rule: Rule;
  readonly negated: boolean;
}

/**
 * Finds criteria that no output can meet, at any depth. The proofs are simple: lengths, texts that are both required
 * and forbidden, patterns found in every text, contradictory JSON Schemas.
 */
function impossibleIn(criteria: Criteria, pointer: string, meter: Meter): readonly Finding[] {
  if (typeof criteria === 'string') return [];
  if ('type' in criteria) return impossibleRule(criteria, pointer, meter);
  if ('or' in criteria)
    return criteria.or.flatMap((one, at) => impossibleIn(one, `${pointer}/or/${at}`, meter));
  const members = 'not' in criteria ? [] : 'and' in criteria ? criteria.and : criteria;
  const base = 'and' in criteria ? `${pointer}/and` : pointer;
  const inner = members.flatMap((member, at) => impossibleIn(member, `${base}/${at}`, meter));
  if (inner.length > 0) return inner;
  const why = contradiction(claimsOf(criteria, false), meter);
  return why === undefined ? [] : [impossibility(pointer, why)];
}

function impossibleRule(rule: Rule, pointer: string, meter: Meter): readonly Finding[] {
  if (rule.type === 'schema' && isMeasured(rule.schema)) {
    const dead = contradictionIn(rule.schema, `${pointer}/schema`);
    return dead === undefined ? [] : [impossibility(dead.pointer, messages.nothingMeets(dead.why))];
  }
  const why = contradiction([{ rule, negated: false }], meter);
  return why === undefined ? [] : [impossibility(pointer, why)];
}

function impossibility(pointer: string, message: string): Finding {
  const suggestion = messages.correctImpossible;
  return { severity: 'warning', code: 'impossible-criteria', pointer, message, suggestion };
}

/** Returns the rules that must all be met together. A rule with a condition might not apply, so it is skipped. */
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
  return (
    lengths(wanted) ?? differentTypes(wanted) ?? clash(wanted, unwanted, meter) ?? alwaysMet(unwanted, meter)
  );
}

function lengths(wanted: readonly Rule[]): string | undefined {
  const min = Math.max(0, ...wanted.map(leastLength));
  const max = Math.min(...wanted.map((rule) => (rule.type === 'length' ? (rule.max ?? Infinity) : Infinity)));
  return min > max ? messages.contradictoryLengths(min, max) : undefined;
}

function leastLength(rule: Rule): number {
  if (rule.type === 'length') return rule.min ?? 0;
  return rule.type === 'contains' ? (rule.value ?? '').length : 0;
}

function differentTypes(wanted: readonly Rule[]): string | undefined {
  const named = wanted.flatMap((rule) =>
    rule.type === 'schema' && isJsonObject(rule.schema) ? [(typesOf(rule.schema) ?? []).map(String)] : [],
  );
  const [first = [], ...others] = named.filter((some) => some.length > 0);
  const other = others.find((some) => !some.some((type) => first.includes(type) || isNumber(type, first)));
  return other && messages.contradictoryTypes(first, other);
}

function isNumber(type: string, others: readonly string[]): boolean {
  return (
    (type === 'integer' && others.includes('number')) || (type === 'number' && others.includes('integer'))
  );
}

/** Finds a required text or pattern that always includes a forbidden one. */
function clash(wanted: readonly Rule[], unwanted: readonly Rule[], meter: Meter): string | undefined {
  for (const rule of wanted) {
    const other = unwanted.find((one) => implies(rule, one, meter));
    if (other !== undefined) return messages.impliesForbidden(meets(rule), meets(other));
  }
  return undefined;
}

function implies(rule: Rule, other: Rule, meter: Meter): boolean {
  spend(meter, 50);
  if (rule.type === 'contains') return textImplies(rule.value ?? '', other, meter);
  return rule.type === 'regex' && other.type === 'regex' && isSamePattern(rule, other);
}

function textImplies(text: string, other: Rule, meter: Meter): boolean {
  spend(meter, text.length);
  if (other.type === 'contains') return text.includes(other.value ?? '');
  return other.type === 'regex' && isFoundWithin(other, text, meter);
}

function isSamePattern(one: RegexRule, other: RegexRule): boolean {
  return one.pattern === other.pattern && (one.flags ?? '') === (other.flags ?? '');
}

function meets(rule: Rule): string {
  if (rule.type === 'contains') return messages.meets.contains(rule.value);
  return rule.type === 'regex' ? messages.meets.matches(rule.pattern) : messages.meets.other(rule.type);
}

/** Finds a forbidden rule that every text meets. */
function alwaysMet(unwanted: readonly Rule[], meter: Meter): string | undefined {
  const met = unwanted.find(
    (rule) =>
      (rule.type === 'contains' && rule.value === '') ||
      (rule.type === 'regex' && isFoundWithin(rule, '', meter)) ||
      (rule.type === 'length' && (rule.min ?? 0) <= 0 && rule.max === undefined),
  );
  return met && messages.alwaysForbidden(meets(met));
}

/**
 * Tells whether a pattern is found in every text that contains this one. Patterns that depend on their surroundings are
 * excluded.
 */
function isFoundWithin({ pattern = '', flags = '' }: RegexRule, text: string, meter: Meter): boolean {
  if (/[$^]|\\[ABbzZ]/.test(pattern)) return false;
  const compiled = compilePattern(pattern, flags, meter);
  if (!compiled.ok) return false;
  spend(meter, compiled.size * text.length);
  return compiled.test(text);
}

/** Warns about a usable rule that is probably a mistake. */
function probableMistakes({ rule, pointer }: WalkedRule): readonly Finding[] {
  if (rule.type === 'schema') return keywordMistakes(rule.schema, `${pointer}/schema`);
  if (rule.type !== 'length') return [];
  const { min, max } = rule;
  if (min !== undefined || max !== undefined) return [];
  return [warning(pointer, messages.lengthWithoutBounds)];
}

function keywordMistakes(schema: unknown, pointer: string): readonly Finding[] {
  if (!isJsonObject(schema) || !isMeasured(schema)) return [];
  const findings: Finding[] = [];
  mapSchema(schema, (part, place) => {
    for (const keyword of Object.keys(part)) {
      if (!isKnownKeyword(keyword)) findings.push(unknownKeyword(keyword, pointer + place));
    }
    return part;
  });
  return findings;
}

function unknownKeyword(keyword: string, pointer: string): Finding {
  const near = didYouMean(keyword, knownKeywords);
  return warning(pointer + toPointer([keyword]), messages.unknownKeyword(keyword, near));
}

function warning(pointer: string, { message, suggestion }: Message): Finding {
  return { severity: 'warning', code: 'doubtful-criteria', pointer, message, suggestion };
}

/**
 * Finds criteria of a step workflow that can't be used; the workflow is served despite these errors. Also warns about
 * usable criteria that are probably mistakes. `checkConditions` checks the conditions of rules.
 */
export const checkCriteria: DefinitionCheck = async (
  definition: StepWorkflowDefinition,
  meter: Meter = { left: maxReadingSteps },
) => {
  const findings: Finding[] = [];
  for (const { step, pointer } of walkSteps(definition.steps)) {
    if (step.type !== 'loop') findings.push(...(await findingsOn(step, pointer, meter)));
  }
  return findings;
};

/** Pays for the criteria of one step out of the budget of the whole definition, up to the limit for one step. */
async function findingsOn(
  { validationCriteria: criteria }: { readonly validationCriteria?: Criteria },
  pointer: string,
  meter: Meter,
): Promise<readonly Finding[]> {
  if (criteria === undefined) return [];
  const base = `${pointer}/validationCriteria`;
  const own: Meter = { ...meter, left: Math.min(meter.left, maxCompilationSteps) };
  const before = own.left;
  try {
    return await inspected(criteria, base, own);
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    const problem = messages.definitionTooCostly(maxCompilationSteps, maxReadingSteps);
    return [{ severity: 'error', code: 'beyond-limits', pointer: base, ...problem }];
  } finally {
    meter.left -= before - own.left;
  }
}

async function inspected(criteria: Criteria, base: string, meter: Meter): Promise<readonly Finding[]> {
  const { problems } = await inspectCriteria(criteria, meter);
  const unusable = problems
    .filter(({ fault }) => fault !== 'condition')
    .map((problem) => findingOf(problem, base));
  const impossible = problems.length === 0 ? impossibleIn(criteria, base, meter) : [];
  return [...unusable, ...[...walkRules(criteria, base)].flatMap(probableMistakes), ...impossible];
}

function findingOf({ pointer, message, suggestion }: Problem, base: string): Finding {
  const texts = { message, ...defined({ suggestion }) };
  return { severity: 'error', code: 'broken-criteria', served: true, pointer: base + pointer, ...texts };
}

/**
 * Does the same as {@link checkCriteria} for the steps of an activity workflow. The activities are served despite
 * errors.
 */
export const checkActivityCriteria: FolderCheck = async (
  { activities },
  meter = { left: maxReadingSteps },
) => {
  const findings: FileFinding[] = [];
  for (const { definition, file, pointer: place } of activities) {
    for (const { step, pointer } of walkActivitySteps(definition)) {
      const found = await findingsOn(step, place + pointer, meter);
      findings.push(...found.map((finding) => ({ ...finding, file })));
    }
  }
  return findings;
};
