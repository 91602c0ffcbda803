import type { Context, Condition } from '@workflowlookup/conditions';
import { compilePattern, describeCondition, evaluate, parseCondition } from '@workflowlookup/conditions';
import type { JsonObject, Meter } from '@workflowlookup/schema';
import { toPointer, isJsonObject, Exhausted, didYouMean, spend } from '@workflowlookup/schema';
import type { Message } from './messages.ts';
import { messages } from './messages.ts';
import { readSchema } from './schema-rule.ts';

/** The output being validated, with its context and budget. */
export interface Subject {
  readonly output: string;
  readonly context: Context;
  readonly meter: Meter;
  /** The fields of the output, for rules that check one of them. */
  readonly fields?: JsonObject | undefined;
  /** Returns the output as JSON, parsed on first use. */
  readonly instance: () => Instance;
}

/** A JSON value, or `undefined` if the output isn't JSON. */
export type Instance = { readonly json: unknown } | undefined;

/** A rule or composition that failed. */
export interface Failure {
  readonly issue: string;
  readonly remedies: readonly string[];
  /** Set if the rule could not be checked, so it is unknown whether the output meets it. */
  readonly unchecked?: true;
}

/** The failures (none if the output passes), or `left out` if no rule applied because of its condition. */
type Outcome = readonly Failure[] | 'left out';

/** Compiled criteria at any level. */
export type Check = (subject: Subject) => Outcome;

/** The check of one rule: returns suggestions that fix the output, or `undefined` if the output meets the rule. */
export type Test = (subject: Subject) => readonly string[] | undefined;

/** Steps that one validation may take; criteria that need more are too complex to check (docs/authoring.md#limits). */
export const maxSteps = 50_000_000;

/**
 * Steps that compiling the criteria for one validation may take. They count toward the budget for reading the
 * definition.
 */
export const maxCompilationSteps = 200_000_000;

/** The budgets for compiling criteria and for validating an output. */
export interface Meters {
  readonly compile: Meter;
  /** Refilled before each validation. */
  readonly run: Meter;
}

/** A reason why criteria can't be used. */
export interface Problem {
  /** JSON pointer within the criteria. */
  readonly pointer: string;
  readonly message: string;
  readonly suggestion?: string;
  /** The cause: the rule itself, its condition, or its JSON Schema. */
  readonly fault: 'rule' | 'condition' | 'schema';
}

/** A position in the criteria. Problems are collected here, so that one pass finds all of them. */
export interface Location {
  readonly pointer: string;
  /** Number of enclosing lists and compositions. */
  readonly depth: number;
  /** Set for a rule written as a bare pattern, which has no fields to point at. */
  readonly bare?: true;
  readonly problems: Problem[];
}

function within(place: Location, key: string | number): Location {
  return { ...place, pointer: place.pointer + toPointer([key]) };
}

/**
 * Describes criteria in sentences, for an agent that is about to write the output, and for people who read the workflow:
 * the message of each rule, or what it expects, with its condition. Never throws; skips anything that isn't a rule.
 */
export function describeCriteria(criteria: unknown): readonly string[] {
  return sentences(criteria, 0);
}

function sentences(criteria: unknown, depth: number): readonly string[] {
  if (depth > 64) return [];
  if (Array.isArray(criteria)) return criteria.flatMap((member) => sentences(member, depth + 1));
  if (typeof criteria === 'string') return [messages.mustMatch(criteria)];
  if (!isJsonObject(criteria)) return [];
  if (Object.hasOwn(criteria, 'type')) {
    const when = conditionOf(criteria);
    const rules = ruleSentences(criteria);
    return when === undefined ? rules : rules.map((rule) => messages.onlyIf(when, rule));
  }
  if (Object.hasOwn(criteria, 'and')) return sentences(criteria['and'], depth + 1);
  if (Object.hasOwn(criteria, 'or')) {
    const members = alternatives(criteria['or'], depth + 1);
    return members.length === 0 ? [] : [messages.oneOf(members)];
  }
  const member = Object.hasOwn(criteria, 'not') ? messages.allOf(sentences(criteria['not'], depth + 1)) : '';
  return member === '' ? [] : [messages.not(member)];
}

function alternatives(members: unknown, depth: number): readonly string[] {
  if (!Array.isArray(members)) return [];
  return members.map((member) => messages.allOf(sentences(member, depth))).filter((text) => text !== '');
}

/** Returns the condition of a rule as text, or `undefined` if it has none that can be used. */
function conditionOf({ condition }: JsonObject): string | undefined {
  if (condition === undefined) return undefined;
  if (typeof condition === 'string') return condition.trim();
  const parsed = parseCondition(condition);
  return parsed.ok ? describeCondition(parsed.condition) : undefined;
}

/** Says what a rule expects, without its condition. */
function ruleSentences(rule: JsonObject): readonly string[] {
  if (typeof rule['message'] === 'string') return [rule['message']];
  switch (rule['type']) {
    case 'contains':
      return [messages.mustContain(rule['value'])];
    case 'regex':
      return sentences(rule['pattern'], 0);
    case 'length':
      return [messages.mustHaveLength(lengthBound(rule['min']), lengthBound(rule['max']))];
    case 'schema':
      return [messages.mustMeetSchema];
    default:
      return [];
  }
}

function lengthBound(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Reads the fields of one type of rule. If it reports a problem, it returns no test. */
type RuleReader = (
  rule: JsonObject,
  report: Report,
  meters: Meters,
) => Test | undefined | Promise<Test | undefined>;

/** Records a problem with a field of a rule. */
export type Report = (fault: FieldFault) => void;

interface FieldFault {
  readonly field: string;
  /** JSON pointer from the field to the problem. */
  readonly below?: string;
  readonly message: string;
  readonly suggestion?: string;
  readonly fault?: Problem['fault'];
}

/** Returns a function that reports problems at a location. A missing field is reported at the rule itself. */
function reporter(rule: JsonObject, place: Location): Report {
  return ({ field, below = '', fault = 'rule', ...problem }) => {
    const isThere = Object.hasOwn(rule, field) && place.bare !== true;
    const pointer = isThere ? within(place, field).pointer + below : place.pointer;
    place.problems.push({ ...problem, fault, pointer });
  };
}

/** Reads a `contains` rule: the output must include this text, case-sensitive. */
function readContains({ value }: JsonObject, report: Report): Test | undefined {
  if (typeof value !== 'string') {
    report({ field: 'value', ...messages.containsNothing(value) });
    return undefined;
  }
  const remedies = [messages.includeText(value)];
  return ({ output, meter }) => {
    // Searching for a periodic text can take as many steps as the product of both lengths.
    spend(meter, (output.length * (value.length + 4)) / 16);
    return output.includes(value) ? undefined : remedies;
  };
}

/** Reads a `regex` rule: the pattern must occur in the output. */
function readRegex(
  { pattern, flags = '' }: JsonObject,
  report: Report,
  { compile }: Meters,
): Test | undefined {
  if (typeof pattern !== 'string') {
    report({ field: 'pattern', ...messages.noPattern(pattern) });
    return undefined;
  }
  if (typeof flags !== 'string') {
    report({ field: 'flags', ...messages.badFlags(flags) });
    return undefined;
  }
  const compiled = compilePattern(pattern, flags, compile);
  if (!compiled.ok) {
    const field = compilePattern(pattern, '', compile).ok ? 'flags' : 'pattern';
    report({ field, ...messages.badPattern(compiled.message) });
    return undefined;
  }
  const remedies = [messages.writeMatch(pattern)];
  return ({ output, meter }) => {
    spend(meter, compiled.size * output.length);
    return compiled.test(output) ? undefined : remedies;
  };
}

/** Reads a `length` rule: the output must have between `min` and `max` UTF-16 units. */
function readLength({ min, max }: JsonObject, report: Report): Test | undefined {
  const [least, most] = [boundOf(min, 'min', report), boundOf(max, 'max', report)];
  return ({ output: { length } }: Subject) => {
    const remedies: string[] = [];
    if (least !== undefined && length < least) remedies.push(messages.addCharacters(least - length));
    if (most !== undefined && length > most) remedies.push(messages.removeCharacters(length - most));
    return remedies.length === 0 ? undefined : remedies;
  };
}

function boundOf(value: unknown, field: 'max' | 'min', report: Report): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  report({ field, ...messages.badBound(field, value) });
  return undefined;
}

const common = ['type', 'field', 'message', 'condition', 'suggestion'];

const types: ReadonlyMap<unknown, { readonly fields: readonly string[]; readonly read: RuleReader }> =
  new Map([
    ['contains', { fields: ['value'], read: readContains }],
    ['regex', { fields: ['pattern', 'flags'], read: readRegex }],
    ['length', { fields: ['min', 'max'], read: readLength }],
    ['schema', { fields: ['schema'], read: readSchema }],
  ]);

/** Compiles one rule. A rule that can't be used is recorded as a problem and accepts every output. */
async function readRule(rule: JsonObject, place: Location, meters: Meters): Promise<Check> {
  const report = reporter(rule, place);
  const type = types.get(rule['type']);
  if (type === undefined) {
    report({ field: 'type', ...messages.unknownRuleType(rule['type'], [...types.keys()].map(String)) });
    return () => [];
  }
  refuseOthers(rule, type.fields, report);
  const condition = readCondition(rule, place, meters.compile);
  const test = await type.read(rule, report, meters);
  const suggestion = textOf(rule, 'suggestion', report);
  textOf(rule, 'message', report);
  const field = textOf(rule, 'field', report);
  // The rule is only judged where its condition is true.
  const issue = messages.allOf(ruleSentences(rule));
  return (subject) => {
    const { context, meter } = subject;
    return outcomeOf(issue, suggestion, () => {
      if (condition !== undefined && !evaluate(condition, context, meter)) return 'left out';
      if (field === undefined) return test?.(subject);
      const part = fieldOf(subject, field);
      // An optional field that the output does not have has nothing to check.
      return part === undefined ? 'left out' : test?.(part);
    });
  };
}

/** Returns the value of a field as an output of its own, or `undefined` if the output does not have the field. */
function fieldOf(subject: Subject, field: string): Subject | undefined {
  const { fields = {} } = subject;
  const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (value === undefined) return undefined;
  const output = typeof value === 'string' ? value : JSON.stringify(value);
  return { ...subject, output, instance: () => ({ json: value }) };
}

// If the validation runs out of steps, it is unknown whether the rule is met. That counts as a failure too.
function outcomeOf(
  issue: string,
  suggestion: string | undefined,
  run: () => ReturnType<Test> | 'left out',
): Outcome {
  try {
    const remedies = run();
    if (remedies === 'left out') return remedies;
    return remedies === undefined
      ? []
      : [{ issue, remedies: suggestion === undefined ? remedies : [suggestion] }];
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    return [{ issue: messages.tooComplex(issue), remedies: [messages.simplify], unchecked: true }];
  }
}

function refuseOthers(rule: JsonObject, fields: readonly string[], report: Report): void {
  const known = [...common, ...fields];
  for (const field of Object.keys(rule)) {
    if (known.includes(field) || field.startsWith('x-')) continue;
    report({ field, ...messages.unknownField(field, rule['type'], didYouMean(field, known)) });
  }
}

function readCondition(rule: JsonObject, place: Location, meter: Meter): Condition | undefined {
  if (rule['condition'] === undefined) return undefined;
  const parsed = parseCondition(rule['condition'], meter);
  if (parsed.ok) return parsed.condition;
  const { pointer, problems } = within(place, 'condition');
  problems.push(
    ...parsed.issues.map((issue) => ({
      ...issue,
      pointer: pointer + issue.pointer,
      fault: 'condition' as const,
    })),
  );
  return undefined;
}

function textOf(rule: JsonObject, field: string, report: Report): string | undefined {
  const value = rule[field];
  if (value === undefined || typeof value === 'string') return value;
  report({ field, ...messages.notText(field, value) });
  return undefined;
}

/** Every member must pass. */
function checkAll(members: readonly Check[]): Check {
  return (subject) => {
    const outcomes = present(members, subject);
    return outcomes.length === 0 ? 'left out' : outcomes.flat();
  };
}

/** One member must pass. If none does, the failures of all of them are reported. */
function checkOne(members: readonly Check[]): Check {
  return (subject) => {
    const outcomes = present(members, subject);
    if (outcomes.length === 0) return 'left out';
    return outcomes.some((failures) => failures.length === 0) ? [] : outcomes.flat();
  };
}

/**
 * The member must fail. If it passes, `failure` is reported. A member that can't be checked doesn't count as failed.
 */
function noneOf(member: Check, failure: Failure): Check {
  return (subject) => {
    const outcome = member(subject);
    if (outcome === 'left out') return outcome;
    if (outcome.length === 0) return [failure];
    return outcome.filter(({ unchecked }) => unchecked);
  };
}

function present(members: readonly Check[], subject: Subject): readonly (readonly Failure[])[] {
  return members.map((member): Outcome => member(subject)).filter((outcome) => outcome !== 'left out');
}

/** The maximum nesting of lists and compositions. */
const maxCriteriaDepth = 32;

/** Compiles criteria of any shape. A part that can't be used is recorded as a problem and accepts every output. */
export async function readCriteria(criteria: unknown, place: Location, meters: Meters): Promise<Check> {
  spend(meters.compile, 500);
  if (typeof criteria === 'string') {
    return readRule({ type: 'regex', pattern: criteria }, { ...place, bare: true }, meters);
  }
  if (!Array.isArray(criteria) && !isJsonObject(criteria)) {
    return refuse(place, messages.notARule(criteria));
  }
  if (!Array.isArray(criteria) && Object.hasOwn(criteria, 'type')) return readRule(criteria, place, meters);
  if (place.depth >= maxCriteriaDepth) {
    return refuse(place, messages.criteriaTooDeep(maxCriteriaDepth));
  }
  const inner = { ...place, depth: place.depth + 1 };
  return Array.isArray(criteria)
    ? checkAll(await readMembers(criteria, inner, meters))
    : readComposition(criteria, inner, meters);
}

async function readMembers(
  members: readonly unknown[],
  place: Location,
  meters: Meters,
): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const [at, member] of members.entries())
    checks.push(await readCriteria(member, within(place, at), meters));
  return checks;
}

async function readComposition(criteria: JsonObject, place: Location, meters: Meters): Promise<Check> {
  const keys = Object.keys(criteria).filter((key) => !key.startsWith('x-'));
  const [key] = keys;
  if (keys.length !== 1 || (key !== 'and' && key !== 'or' && key !== 'not')) {
    return refuse(place, messages.noTypeOrComposition(keys));
  }
  const here = within(place, key);
  const member = criteria[key];
  if (key === 'not') return noneOf(await readCriteria(member, here, meters), mustNotHold(member));
  if (!Array.isArray(member) || member.length === 0) {
    return refuse(here, messages.noMembers(key, member));
  }
  const checks = await readMembers(member, here, meters);
  return key === 'and' ? checkAll(checks) : checkOne(checks);
}

function mustNotHold(member: unknown): Failure {
  const text = messages.allOf(sentences(member, 0));
  return {
    issue: messages.metButForbidden(text),
    remedies: [remedyAgainst(member) ?? messages.meetNoLonger(text)],
  };
}

function remedyAgainst(member: unknown): string | undefined {
  if (typeof member === 'string') return messages.removeMatch(member);
  if (!isJsonObject(member)) return undefined;
  const { type, value, pattern } = member;
  if (type === 'contains' && typeof value === 'string') return messages.removeText(value);
  return type === 'regex' && typeof pattern === 'string' ? messages.removeMatch(pattern) : undefined;
}

function refuse(place: Location, problem: Message): Check {
  place.problems.push({ pointer: place.pointer, ...problem, fault: 'rule' });
  return () => [];
}
