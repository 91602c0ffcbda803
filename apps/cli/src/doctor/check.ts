import { WorkflowError } from '@workflowlookup/schema';

/** What was looked at, and what was found. */
export interface Check {
  readonly name: string;
  /** `skipped`: there is nothing to look at yet. */
  readonly standing: 'ok' | 'problem' | 'skipped';
  readonly says: string;
  /** How to fix it: for problems, and for definitions that wait for a person's decision. */
  readonly fix?: string;
}

/** Something that is as it should be. */
export function fine(name: string, says: string): Check {
  return { name, standing: 'ok', says };
}

/** Something that is not there yet, and need not be. */
export function skipped(name: string, says: string): Check {
  return { name, standing: 'skipped', says };
}

/** Something to set right. */
export function problem(name: string, says: string, fix: string): Check {
  return { name, standing: 'problem', says, fix };
}

/** A failure, as something to set right: errors say first what was found, then what would do. */
export function failure(name: string, error: unknown, fix: string): Check {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof WorkflowError)) return problem(name, message, fix);
  const [says = message, ...remedy] = message.split(/(?<=\.) (?=[A-Z])/);
  return problem(name, says, remedy.join(' ') || fix);
}
