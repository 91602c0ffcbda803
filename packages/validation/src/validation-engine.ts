import type { Context } from '@workflowlookup/conditions';
import type { CompiledCriteria } from './compiled-criteria.ts';
import { compileCriteria } from './compile-criteria.ts';
import { judge } from './judge.ts';
import type { Verdict } from './verdict.ts';

/** Validates outputs, compiling the same criteria once. */
export interface ValidationEngine {
  /** Throws what {@link compileCriteria} and {@link judge} throw. */
  readonly validate: (output: string, criteria: unknown, context?: Context) => Promise<Verdict>;
}

/** An engine that keeps the criteria it compiled last, at most `maxKept` of them. */
export function createValidationEngine(maxKept = 100): ValidationEngine {
  const kept = new Map<string, CompiledCriteria>();
  return {
    async validate(output, criteria, context = {}) {
      const key = keyOf(criteria);
      const compiled = (key === undefined ? undefined : kept.get(key)) ?? (await compileCriteria(criteria));
      if (key !== undefined) keep(kept, key, compiled);
      if (kept.size > maxKept) kept.delete(kept.keys().next().value ?? '');
      return judge(compiled, output, context);
    },
  };
}

function keep(kept: Map<string, CompiledCriteria>, key: string, compiled: CompiledCriteria): void {
  kept.delete(key);
  kept.set(key, compiled);
}

function keyOf(criteria: unknown): string | undefined {
  try {
    return JSON.stringify(criteria);
  } catch {
    // What can't be written as JSON has no key; compiling it says what is wrong.
    return undefined;
  }
}
