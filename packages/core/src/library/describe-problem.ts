import type { BrokenPart } from '@workflowlookup/schema';

/** A broken part in a sentence: its file, the first place that is wrong, and how many more there are. */
export function describeProblem({ kind, id, file, issues }: BrokenPart): string {
  const [first, ...more] = issues.filter(({ severity }) => severity === 'error');
  const subject = `The ${kind} '${id}' is broken`;
  if (first === undefined) return `${subject}: ${file} can't be used.`;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `${subject}: ${file}, line ${first.line}: ${first.message}${rest}`;
}
