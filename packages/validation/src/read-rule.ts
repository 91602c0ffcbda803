import type { Condition } from '@workflowlookup/conditions';
import { evaluate, parseCondition, showValue } from '@workflowlookup/conditions';
import { didYouMean, Exhausted } from '@workflowlookup/schema';
import type { JsonObject, Meter } from '@workflowlookup/schema';
import type { Check, Outcome, Test } from './check.ts';
import { describeMember } from './describe-criteria.ts';
import type { Meters } from './meter.ts';
import type { Place } from './problem.ts';
import { within } from './problem.ts';
import { reporter } from './rule-reader.ts';
import type { Report, RuleReader } from './rule-reader.ts';
import { readContains, readLength, readRegex } from './text-rules.ts';
import { readSchema } from './schema-rule.ts';

const common = ['type', 'message', 'condition', 'suggestion'];

const types: ReadonlyMap<unknown, { readonly fields: readonly string[]; readonly read: RuleReader }> =
  new Map([
    ['contains', { fields: ['value'], read: readContains }],
    ['regex', { fields: ['pattern', 'flags'], read: readRegex }],
    ['length', { fields: ['min', 'max'], read: readLength }],
    ['schema', { fields: ['schema'], read: readSchema }],
  ]);

/** Compiles one rule; what can't be used is recorded at the place and passes every output. */
export async function readRule(rule: JsonObject, place: Place, meters: Meters): Promise<Check> {
  const report = reporter(rule, place);
  const type = types.get(rule['type']);
  if (type === undefined) {
    const names = [...types.keys()].join(', ');
    report({
      field: 'type',
      message: `Unknown type of rule ${showValue(rule['type'])}.`,
      suggestion: `Use one of ${names}.`,
    });
    return () => [];
  }
  refuseOthers(rule, type.fields, report);
  const condition = readCondition(rule, place, meters.compile);
  const test = await type.read(rule, report, meters);
  const suggestion = textOf(rule, 'suggestion', report);
  textOf(rule, 'message', report);
  const issue = describeMember(rule);
  return (subject) => {
    const { context, meter } = subject;
    return outcomeOf({ issue, suggestion }, () => {
      if (condition !== undefined && !evaluate(condition, context, meter)) return 'left out';
      return test?.(subject);
    });
  };
}

interface Texts {
  readonly issue: string;
  readonly suggestion: string | undefined;
}

// A judgement that runs out leaves it open whether the rule is met; that is a failure too.
function outcomeOf({ issue, suggestion }: Texts, run: () => ReturnType<Test> | 'left out'): Outcome {
  try {
    const remedies = run();
    if (remedies === 'left out') return remedies;
    return remedies === undefined
      ? []
      : [{ issue, remedies: suggestion === undefined ? remedies : [suggestion] }];
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    const remedies = ['Make the output shorter or simpler.'];
    return [{ issue: `The output is too complex to check: ${issue}`, remedies, unchecked: true }];
  }
}

function refuseOthers(rule: JsonObject, fields: readonly string[], report: Report): void {
  const known = [...common, ...fields];
  for (const field of Object.keys(rule)) {
    if (known.includes(field) || field.startsWith('x-')) continue;
    const near = didYouMean(field, known);
    const suggestion = near === undefined ? `Remove it.` : `Did you mean "${near}"?`;
    report({
      field,
      message: `Unknown field ${showValue(field)} in a ${showValue(rule['type'])} rule.`,
      suggestion,
    });
  }
}

function readCondition(rule: JsonObject, place: Place, meter: Meter): Condition | undefined {
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
  report({
    field,
    message: `"${field}" is a string, found ${showValue(value)}.`,
    suggestion: 'Write a string.',
  });
  return undefined;
}
