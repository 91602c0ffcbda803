import type { Condition, Context } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import { namesRead } from './comparisons.ts';
import type { Domains } from './domains.ts';

/** How a condition may turn out: one way, or either. */
export type Outcomes = (condition: Condition, context: Context) => readonly boolean[];

/** As it does in a context in which all is known. */
export const certain: Outcomes = (condition, context) => [evaluate(condition, context)];

/** Most combinations of values that are tried for one condition. */
const maxTried = 512;

/** Where some variables may be anything: as it does for one of their values or another. */
export function possible({ valuesOf }: Domains, free: ReadonlySet<string>): Outcomes {
  return (condition, context) => {
    const names = [...new Set(namesRead([{ condition }]))].filter((name) => free.has(name));
    let contexts: readonly Context[] = [context];
    for (const name of names) {
      contexts = contexts
        .flatMap((one) => valuesOf(name).map((value) => ({ ...one, [name]: value })))
        .slice(0, maxTried);
    }
    return [...new Set(contexts.map((one) => evaluate(condition, one)))];
  };
}
