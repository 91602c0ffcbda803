import type { Check, Failure, Outcome, Subject } from './check.ts';

/** All members must pass. */
export function allOf(members: readonly Check[]): Check {
  return (subject) => {
    const outcomes = present(members, subject);
    return outcomes.length === 0 ? 'left out' : outcomes.flat();
  };
}

/** One member must pass; else every member's failures are reported. */
export function oneOf(members: readonly Check[]): Check {
  return (subject) => {
    const outcomes = present(members, subject);
    if (outcomes.length === 0) return 'left out';
    return outcomes.some((failures) => failures.length === 0) ? [] : outcomes.flat();
  };
}

/** The member must fail; `failure` is what is reported when it passes. What can't be checked has not failed. */
export function noneOf(member: Check, failure: Failure): Check {
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
