import { showValue } from '@workflowlookup/conditions';
import { isJsonObject, spend } from '@workflowlookup/schema';
import type { JsonObject } from '@workflowlookup/schema';
import type { Check, Failure } from './check.ts';
import { allOf, noneOf, oneOf } from './compositions.ts';
import { describeMember } from './describe-criteria.ts';
import type { Meters } from './meter.ts';
import type { Place } from './problem.ts';
import { within } from './problem.ts';
import { readRule } from './read-rule.ts';

/** Lists and compositions may be nested this deep. */
const maxCriteriaDepth = 32;

/** Compiles criteria of any shape; what can't be used is recorded at the place and passes every output. */
export async function readCriteria(criteria: unknown, place: Place, meters: Meters): Promise<Check> {
  spend(meters.compile, 500);
  if (typeof criteria === 'string') {
    return readRule({ type: 'regex', pattern: criteria }, { ...place, bare: true }, meters);
  }
  if (!Array.isArray(criteria) && !isJsonObject(criteria)) {
    return refuse(place, `A rule is an object, a pattern or a list, found ${showValue(criteria)}.`);
  }
  if (!Array.isArray(criteria) && Object.hasOwn(criteria, 'type')) return readRule(criteria, place, meters);
  if (place.depth >= maxCriteriaDepth) {
    return refuse(place, `Criteria are nested deeper than ${maxCriteriaDepth} lists and compositions.`);
  }
  const inner = { ...place, depth: place.depth + 1 };
  return Array.isArray(criteria)
    ? allOf(await readMembers(criteria, inner, meters))
    : readComposition(criteria, inner, meters);
}

async function readMembers(
  members: readonly unknown[],
  place: Place,
  meters: Meters,
): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const [at, member] of members.entries())
    checks.push(await readCriteria(member, within(place, at), meters));
  return checks;
}

async function readComposition(criteria: JsonObject, place: Place, meters: Meters): Promise<Check> {
  const keys = Object.keys(criteria).filter((key) => !key.startsWith('x-'));
  const [key] = keys;
  if (keys.length !== 1 || (key !== 'and' && key !== 'or' && key !== 'not')) {
    const found = keys.length === 0 ? 'neither' : keys.slice(0, 5).map(showValue).join(', ');
    return refuse(
      place,
      `A rule has a "type", a composition exactly one of "and", "or" and "not"; found ${found}.`,
    );
  }
  const here = within(place, key);
  const member = criteria[key];
  if (key === 'not') return noneOf(await readCriteria(member, here, meters), mustNotHold(member));
  if (!Array.isArray(member) || member.length === 0) {
    return refuse(here, `"${key}" joins a list of at least one member, found ${showValue(member)}.`);
  }
  const checks = await readMembers(member, here, meters);
  return key === 'and' ? allOf(checks) : oneOf(checks);
}

function mustNotHold(member: unknown): Failure {
  const text = describeMember(member);
  return {
    issue: `Must not hold: ${text}`,
    remedies: [remedyAgainst(member) ?? `Make this untrue: ${text}`],
  };
}

function remedyAgainst(member: unknown): string | undefined {
  if (typeof member === 'string') return remedyAgainst({ type: 'regex', pattern: member });
  if (!isJsonObject(member)) return undefined;
  const { type, value, pattern } = member;
  if (type === 'contains') return `Remove ${JSON.stringify(value)}.`;
  return type === 'regex' && typeof pattern === 'string'
    ? `Remove what matches the pattern ${pattern}`
    : undefined;
}

function refuse(place: Place, message: string): Check {
  place.problems.push({ pointer: place.pointer, message, fault: 'rule' });
  return () => [];
}
