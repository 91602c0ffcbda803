import type {
  ActivityWorkflow,
  Finding,
  FolderCheck,
  Meter,
  PlacedCondition,
  StepWorkflowDefinition,
  WalkedCondition,
} from '@workflowlookup/schema';
import {
  conditionsOfOutcomes,
  conditionsOfStep,
  groupBy,
  walkConditions,
  walkSteps,
} from '@workflowlookup/schema';
import type { Comparison, Condition, Context, Operand } from './condition.ts';
import { read, evaluate, holds } from './condition.ts';
import type { Message } from './messages.ts';
import { messages } from './messages.ts';
import { parseCondition } from './parse-condition.ts';

/**
 * Tells whether it can be proved that no context makes a condition true: constants, contradicting comparisons of one
 * variable joined by `and`, empty ranges and lists. `false` only means that no such proof was found.
 */
export function neverHolds(condition: Condition): boolean {
  return isImpossible(normalForm(condition, false));
}

/** A comparison, or its negation. */
interface Claim {
  readonly condition: Comparison;
  readonly negated: boolean;
}

/** A condition in which only comparisons are negated. */
type NormalForm = boolean | Claim | { readonly isAnd: boolean; readonly members: readonly NormalForm[] };

function normalForm(condition: Condition, negated: boolean): NormalForm {
  switch (condition.kind) {
    case 'constant':
      return condition.value !== negated;
    case 'not':
      return normalForm(condition.condition, !negated);
    case 'and':
    case 'or':
      return {
        isAnd: (condition.kind === 'and') !== negated,
        members: condition.conditions.map((member) => normalForm(member, negated)),
      };
    default:
      return { condition, negated };
  }
}

function isImpossible(form: NormalForm): boolean {
  if (typeof form === 'boolean') return !form;
  if (!('members' in form)) return contradict([form]);
  const { isAnd, members } = form;
  return isAnd ? members.some(isImpossible) || contradict(members) : members.every(isImpossible);
}

function contradict(members: readonly NormalForm[]): boolean {
  const byVariable = groupBy(conjuncts(members), ({ condition }) => condition.variable.name);
  return [...byVariable.values()].some(isContradiction);
}

// Collects the comparisons that must all be true. Members of an `or` don't have to be, so they are skipped.
function conjuncts(members: readonly NormalForm[]): readonly Claim[] {
  return members.flatMap((form): readonly Claim[] => {
    if (typeof form === 'boolean') return [];
    if (!('members' in form)) return [form];
    return form.isAnd ? conjuncts(form.members) : [];
  });
}

// Checks the claims about one variable. Each strategy lists values so that, if any value satisfies the claims, one of
// the listed values does.
function isContradiction(claims: readonly Claim[]): boolean {
  return (
    excludesListed(claims) || excludesMissing(claims) || excludesNumbers(claims) || excludesTruth(claims)
  );
}

// No proof is attempted with more claims or values than this, because every value is checked against every claim.
const maxProof = 500;

const listKinds = new Set<Comparison['kind']>(['equals', 'in', 'exists', 'truthy', 'gt', 'gte', 'lt', 'lte']);

function excludesListed(claims: readonly Claim[]): boolean {
  const lists = claims.filter(({ negated }) => !negated).map(({ condition }) => operandsOf(condition));
  if (lists.every((list) => list === undefined)) return false;
  const values = claims.flatMap(({ condition }) => operandsOf(condition) ?? []).flatMap(formsOf);
  return !someValue(
    values,
    claims.filter(({ condition }) => listKinds.has(condition.kind)),
  );
}

function excludesMissing(claims: readonly Claim[]): boolean {
  const mustMiss = claims.some(({ condition, negated }) => condition.kind === 'exists' && negated);
  return mustMiss && !someValue([undefined], claims);
}

function excludesNumbers(claims: readonly Claim[]): boolean {
  const ordered = claims.flatMap(({ condition, negated }) =>
    'bound' in condition ? [{ condition, negated }] : [],
  );
  if (ordered.every(({ negated }) => negated)) return false;
  const bounds = ordered.map(({ condition }) => condition.bound);
  return !someValue(numbersAround(bounds), ordered);
}

function excludesTruth(claims: readonly Claim[]): boolean {
  const truths = claims.filter(({ condition }) => condition.kind === 'truthy');
  return !someValue([true, false], truths);
}

function someValue(values: readonly unknown[], claims: readonly Claim[]): boolean {
  if (values.length > maxProof || claims.length > maxProof) return true;
  return values.some((value) =>
    claims.every(({ condition, negated }) => holds(condition, value) !== negated),
  );
}

function operandsOf(condition: Comparison): readonly Operand[] | undefined {
  if (condition.kind === 'equals') return [condition.operand];
  return condition.kind === 'in' ? condition.operands : undefined;
}

// Returns one value of each type and spelling that the comparisons in `listKinds` can tell apart.
function formsOf({ json, number, truth }: Operand): readonly unknown[] {
  const words = truth === undefined ? [] : [truth, ...(truth ? ['true', 'yes', '1'] : ['false', 'no', '0'])];
  return number === undefined
    ? [json, ...words]
    : [json, number, String(number), unusualSpelling(number), ...words];
}

// Returns text that is numerically equal to the number but equals no usual spelling of it.
function unusualSpelling(number: number): string {
  return number.toExponential().replace(/\d+$/, (exponent) => exponent.padStart(20, '0'));
}

function numbersAround(bounds: readonly number[]): readonly number[] {
  const sorted = [-Number.MAX_VALUE, ...bounds.toSorted((a, b) => a - b), Number.MAX_VALUE];
  return sorted.flatMap((bound, at) => [bound, bound / 2 + (sorted[at + 1] ?? bound) / 2]);
}

/**
 * Returns the unset variables that keep a false condition undecided: setting them could make it true. Empty if the
 * condition is true, or if it stays false whatever their values.
 */
export function undecided(condition: Condition, context: Context): readonly string[] {
  if (evaluate(condition, context)) return [];
  // Usually no variable is missing. Checking that first avoids the slower proof.
  if (knownResult(condition, context) === false || neverHolds(condition)) return [];
  const names = new Set<string>();
  collectUndecided({ condition, context, wanted: true }, names);
  return [...names];
}

// Three-valued (Kleene) logic: a comparison on a missing variable is unknown, returned as `undefined`.
function knownResult(condition: Condition, context: Context): boolean | undefined {
  switch (condition.kind) {
    case 'constant':
      return condition.value;
    case 'not': {
      const value = knownResult(condition.condition, context);
      return value === undefined ? undefined : !value;
    }
    case 'and':
    case 'or':
      return joined(condition.conditions, condition.kind === 'or', context);
    default:
      if (read(context, condition.variable) !== undefined) return evaluate(condition, context);
      return neverHolds(condition) ? false : undefined;
  }
}

function joined(members: readonly Condition[], decisive: boolean, context: Context): boolean | undefined {
  let result: boolean | undefined = !decisive;
  for (const member of members) {
    const value = knownResult(member, context);
    if (value === decisive) return decisive;
    if (value === undefined) result = undefined;
  }
  return result;
}

interface Search {
  readonly condition: Condition;
  readonly context: Context;
  /** The result that would change the outcome. */
  readonly wanted: boolean;
}

function collectUndecided({ condition, context, wanted }: Search, names: Set<string>): void {
  if (evaluate(condition, context) === wanted || knownResult(condition, context) !== undefined) return;
  switch (condition.kind) {
    case 'constant':
      return;
    case 'not':
      return collectUndecided({ condition: condition.condition, context, wanted: !wanted }, names);
    case 'and':
    case 'or':
      for (const member of condition.conditions)
        collectUndecided({ condition: member, context, wanted }, names);
      return;
    default:
      names.add(condition.variable.name);
  }
}

/**
 * Finds every condition of a step workflow that can't be used (errors) and every `runCondition` that no variables can
 * satisfy (warnings). Pointers are relative to the document.
 */
export function checkConditions(definition: StepWorkflowDefinition, meter?: Meter): readonly Finding[] {
  const ofSteps = walkSteps(definition.steps).flatMap(({ step, pointer: place }) =>
    conditionsOfStep(step).flatMap(({ source, pointer }) => {
      const never = pointer === '/runCondition' ? messages.neverRuns : undefined;
      return findingsOn({ source, pointer: place + pointer }, meter, never);
    }),
  );
  return [...ofSteps, ...[...conditionsOfOutcomes(definition)].flatMap((one) => findingsOn(one, meter))];
}

/**
 * Finds every condition of an activity workflow that can't be used (errors) and every one that no variables can satisfy
 * (warnings).
 */
export const checkActivityConditions: FolderCheck = (workflow, meter) =>
  [...walkConditions(workflow), ...outcomesOf(workflow)].flatMap(({ file, ...condition }) =>
    findingsOn(condition, meter, messages.neverTrue).map((finding) => ({ ...finding, file })),
  );

/** Returns the conditions of the outcomes, for each name that the workflow file can have. */
function outcomesOf({ definition, format }: ActivityWorkflow): readonly WalkedCondition[] {
  const files = format === 'yaml' ? ['workflow.yaml', 'workflow.yml'] : [`workflow.${format}`];
  return [...conditionsOfOutcomes(definition)].flatMap((one) => files.map((file) => ({ ...one, file })));
}

/** @param never the warning if no variables can satisfy the condition */
function findingsOn(
  { source, pointer }: PlacedCondition,
  meter: Meter | undefined,
  never?: Message,
): readonly Finding[] {
  const parsed = parseCondition(source, meter);
  if (!parsed.ok) {
    return parsed.issues.map((issue) => ({
      ...issue,
      severity: 'error',
      code: 'broken-condition',
      pointer: pointer + issue.pointer,
    }));
  }
  if (never === undefined || !neverHolds(parsed.condition)) return [];
  return [{ severity: 'warning', code: 'never-holds', pointer, ...never }];
}
