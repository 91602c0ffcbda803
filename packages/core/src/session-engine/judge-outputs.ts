import { WorkflowError } from '@workflowlookup/schema';
import type { Criteria } from '@workflowlookup/schema';
import type { CompiledCriteria, Verdict } from '@workflowlookup/validation';
import { compileCriteria, judge } from '@workflowlookup/validation';
import type { Judge } from '../session/manifest.ts';
import type { SessionState } from '../session/session-state.ts';
import type { Runnable } from './runnable.ts';

/** Criteria ready to judge by, or why they can't be used. */
type Ready = CompiledCriteria | { readonly unusable: string };

const compiled = new WeakMap<object, Promise<Ready>>();

/**
 * A judge of the outputs of the current activity, its criteria compiled ahead so that deciding need not wait. Criteria
 * that can't be used refuse every output: nobody is let through by a broken definition.
 */
export async function judgeOutputs({ navigator }: Runnable, state: SessionState): Promise<Judge> {
  if (state.current === undefined) return () => undefined;
  const { steps, loops } = navigator.place(state.current, state);
  const all = [...steps, ...loops.flatMap((loop) => loop.steps)];
  const ready = new Map<Criteria, Ready>();
  for (const { criteria } of all) {
    if (criteria !== undefined) ready.set(criteria, await readyFor(criteria));
  }
  return (step, output, variables) => {
    const criteria = step.criteria === undefined ? undefined : ready.get(step.criteria);
    if (criteria === undefined) return undefined;
    return 'unusable' in criteria ? refusal(criteria.unusable) : judge(criteria, output, variables);
  };
}

function refusal(why: string): Verdict {
  return { valid: false, issues: [`its criteria can't be used (${why})`], suggestions: [] };
}

function readyFor(criteria: Criteria): Promise<Ready> {
  if (typeof criteria === 'string') return makeReady(criteria);
  const known = compiled.get(criteria) ?? makeReady(criteria);
  compiled.set(criteria, known);
  return known;
}

async function makeReady(criteria: Criteria): Promise<Ready> {
  try {
    return await compileCriteria(criteria);
  } catch (error) {
    if (error instanceof WorkflowError) return { unusable: error.message };
    throw error;
  }
}
