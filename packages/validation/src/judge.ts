import type { Context } from '@workflowlookup/conditions';
import type { Meter } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { Failure, Instance, Subject } from './check.ts';
import { contentsOf } from './compiled-criteria.ts';
import type { CompiledCriteria } from './compiled-criteria.ts';
import { readInstance } from './instance.ts';
import { maxSteps } from './meter.ts';
import type { Verdict } from './verdict.ts';

/** Largest output that is judged, in bytes of UTF-8. */
export const maxOutputBytes = 5_000_000;

const review = 'Review validation criteria and adjust output accordingly.';

/**
 * Judges an output by compiled criteria; the context decides which rules count. A rule that would take too many
 * steps fails and says so. Throws `INVALID_PARAMS` for an output over {@link maxOutputBytes}. It is paid from `allowance`
 * where that is short, and throws `TooLongHere` where that runs out.
 */
export function judge(
  compiled: CompiledCriteria,
  output: string,
  context: Context = {},
  allowance: Meter = { left: maxSteps },
): Verdict {
  refuseTooLarge(output);
  const { check, meter } = contentsOf(compiled);
  if (check === undefined) return output.trim() === '' ? verdict([emptyOutput]) : verdict([]);
  const { isShort = false } = allowance;
  const most = isShort ? Math.min(allowance.left, maxSteps) : maxSteps;
  Object.assign(meter, { left: most, isShort });
  try {
    const outcome = check(subjectOf(output, context, meter));
    return verdict(outcome === 'left out' ? [] : outcome);
  } finally {
    allowance.left -= most - meter.left;
  }
}

const emptyOutput: Failure = {
  issue: 'Output is empty or invalid.',
  remedies: ['Write an output that is not blank.'],
};

function verdict(failures: readonly Failure[]): Verdict {
  if (failures.length === 0) return { valid: true, issues: [], suggestions: [] };
  const suggestions = new Set([review, ...failures.flatMap(({ remedies }) => remedies)]);
  return { valid: false, issues: failures.map(({ issue }) => issue), suggestions: [...suggestions] };
}

function subjectOf(output: string, context: Context, meter: Subject['meter']): Subject {
  let read: { readonly instance: Instance } | undefined;
  const instance = (): Instance => {
    read ??= { instance: readInstance(output, meter) };
    return read.instance;
  };
  return { output, context, meter, instance };
}

function refuseTooLarge(output: string): void {
  // A UTF-16 unit takes one to three bytes, so most outputs need not be counted.
  if (output.length * 3 <= maxOutputBytes) return;
  const bytes = output.length > maxOutputBytes ? output.length : new TextEncoder().encode(output).byteLength;
  if (bytes <= maxOutputBytes) return;
  const message = `The output has over ${maxOutputBytes} bytes, the most that is judged. Shorten it.`;
  throw new WorkflowError('INVALID_PARAMS', message, { data: { field: 'output', maxBytes: maxOutputBytes } });
}
