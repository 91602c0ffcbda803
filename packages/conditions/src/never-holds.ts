import { holds } from './comparison.ts';
import type { Comparison, Condition } from './condition.ts';
import type { Operand } from './operand.ts';

/**
 * Whether it can be proved that no context makes a condition true: constants, contradicting comparisons of one
 * variable that must all hold, empty ranges and lists. `false` means only that there is no such proof.
 */
export function neverHolds(condition: Condition): boolean {
  return isImpossible({ condition, negated: false });
}

/** A condition, or its negation. */
interface Claim<Of extends Condition = Condition> {
  readonly condition: Of;
  readonly negated: boolean;
}

function isImpossible({ condition, negated }: Claim): boolean {
  switch (condition.kind) {
    case 'constant':
      return condition.value === negated;
    case 'not':
      return isImpossible({ condition: condition.condition, negated: !negated });
    case 'and':
    case 'or': {
      const members = condition.conditions.map((member) => ({ condition: member, negated }));
      const anyWill = (condition.kind === 'or') !== negated;
      return anyWill ? members.every(isImpossible) : members.some(isImpossible) || contradict(members);
    }
    default:
      return contradict([{ condition, negated }]);
  }
}

function contradict(claims: readonly Claim[]): boolean {
  const byVariable = new Map<string, Claim<Comparison>[]>();
  for (const claim of conjuncts(claims)) {
    const { name } = claim.condition.variable;
    const group = byVariable.get(name);
    if (group === undefined) byVariable.set(name, [claim]);
    else group.push(claim);
  }
  return [...byVariable.values()].some(exclude);
}

// The comparisons that must all hold; what is joined by `or` claims nothing here.
function conjuncts(claims: readonly Claim[]): readonly Claim<Comparison>[] {
  return claims.flatMap(({ condition, negated }): readonly Claim<Comparison>[] => {
    switch (condition.kind) {
      case 'constant':
        return [];
      case 'not':
        return conjuncts([{ condition: condition.condition, negated: !negated }]);
      case 'and':
      case 'or':
        return (condition.kind === 'or') !== negated
          ? []
          : conjuncts(condition.conditions.map((member) => ({ condition: member, negated })));
      default:
        return [{ condition, negated }];
    }
  });
}

// Claims about one variable. Each strategy names values of which one must do, if any value does.
function exclude(claims: readonly Claim<Comparison>[]): boolean {
  return (
    excludesListed(claims) || excludesMissing(claims) || excludesNumbers(claims) || excludesTruth(claims)
  );
}

// Beyond this many claims or values no proof is tried: every value is held against every claim.
const maxProof = 500;

const listKinds = new Set<Comparison['kind']>(['equals', 'in', 'exists', 'truthy', 'gt', 'gte', 'lt', 'lte']);

function excludesListed(claims: readonly Claim<Comparison>[]): boolean {
  const lists = claims.filter(({ negated }) => !negated).map(({ condition }) => operandsOf(condition));
  if (lists.every((list) => list === undefined)) return false;
  const values = claims.flatMap(({ condition }) => operandsOf(condition) ?? []).flatMap(formsOf);
  return !someValue(
    values,
    claims.filter(({ condition }) => listKinds.has(condition.kind)),
  );
}

function excludesMissing(claims: readonly Claim<Comparison>[]): boolean {
  const mustMiss = claims.some(({ condition, negated }) => condition.kind === 'exists' && negated);
  return mustMiss && !someValue([undefined], claims);
}

function excludesNumbers(claims: readonly Claim<Comparison>[]): boolean {
  const ordered = claims.flatMap(({ condition, negated }) =>
    'bound' in condition ? [{ condition, negated }] : [],
  );
  if (ordered.every(({ negated }) => negated)) return false;
  const bounds = ordered.map(({ condition }) => condition.bound);
  return !someValue(numbersAround(bounds), ordered);
}

function excludesTruth(claims: readonly Claim<Comparison>[]): boolean {
  const truths = claims.filter(({ condition }) => condition.kind === 'truthy');
  return !someValue([true, false], truths);
}

function someValue(values: readonly unknown[], claims: readonly Claim<Comparison>[]): boolean {
  if (values.length > maxProof || claims.length > maxProof) return true;
  return values.some((value) =>
    claims.every(({ condition, negated }) => holds(condition, value) !== negated),
  );
}

function operandsOf(condition: Comparison): readonly Operand[] | undefined {
  if (condition.kind === 'equals') return [condition.operand];
  return condition.kind === 'in' ? condition.operands : undefined;
}

// One value of each type and spelling that the comparisons of `listKinds` can tell apart.
function formsOf({ json, number, truth }: Operand): readonly unknown[] {
  const words = truth === undefined ? [] : [truth, ...(truth ? ['true', 'yes', '1'] : ['false', 'no', '0'])];
  return number === undefined
    ? [json, ...words]
    : [json, number, String(number), oddSpelling(number), ...words];
}

// Equal to the number, yet to none of the strings that anybody writes for it.
function oddSpelling(number: number): string {
  return number.toExponential().replace(/\d+$/, (exponent) => exponent.padStart(20, '0'));
}

function numbersAround(bounds: readonly number[]): readonly number[] {
  const sorted = [-Number.MAX_VALUE, ...bounds.toSorted((a, b) => a - b), Number.MAX_VALUE];
  return sorted.flatMap((bound, at) => [bound, bound / 2 + (sorted[at + 1] ?? bound) / 2]);
}
