import type { FileFinding, FolderCheck } from '@workflowlookup/schema';
import { maxReadingSteps, walkActivitySteps } from '@workflowlookup/schema';
import { findingsOn } from './check-criteria.ts';

/** {@link checkCriteria} of the steps of an activity workflow; their activities are served all the same. */
export const checkActivityCriteria: FolderCheck = async (
  { activities },
  meter = { left: maxReadingSteps },
) => {
  const findings: FileFinding[] = [];
  for (const { definition, file, pointer: place } of activities) {
    for (const { step, pointer } of walkActivitySteps(definition)) {
      const found = await findingsOn(step, place + pointer, meter);
      findings.push(...found.map((finding) => ({ ...finding, file })));
    }
  }
  return findings;
};
