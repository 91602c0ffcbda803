import { errorCodes } from '@workflowlookup/schema';

/** Returns what an error code means, or a missed criterion without the example for the agent. */
export function reasonOf(criterion: string): string {
  if (isErrorCode(criterion)) return errorCodes[criterion].meaning;
  return criterion.split(/ (?:Expected|Example): /, 1)[0] ?? criterion;
}

export function isErrorCode(criterion: string): criterion is keyof typeof errorCodes {
  return Object.hasOwn(errorCodes, criterion);
}
