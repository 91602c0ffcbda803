import type { FileFinding, FolderCheck, Meter, WalkedCondition } from '@workflowlookup/schema';
import { walkConditions } from '@workflowlookup/schema';
import { neverHolds } from './never-holds.ts';
import { parseCondition } from './parse-condition.ts';

/**
 * Finds every condition of an activity workflow that can't be used (errors), and every one that no variables can
 * satisfy (warnings).
 */
export const checkActivityConditions: FolderCheck = (workflow, meter) =>
  [...walkConditions(workflow)].flatMap((condition) => findingsOn(condition, meter));

function findingsOn(
  { source, file, pointer }: WalkedCondition,
  meter: Meter | undefined,
): readonly FileFinding[] {
  const parsed = parseCondition(source, meter);
  if (!parsed.ok) {
    return parsed.issues.map((issue) => ({
      ...issue,
      severity: 'error',
      code: 'broken-condition',
      file,
      pointer: pointer + issue.pointer,
    }));
  }
  if (!neverHolds(parsed.condition)) return [];
  const message = 'No variables can satisfy this condition.';
  return [
    {
      severity: 'warning',
      code: 'never-holds',
      file,
      pointer,
      message,
      suggestion: 'Correct it, or remove it.',
    },
  ];
}
