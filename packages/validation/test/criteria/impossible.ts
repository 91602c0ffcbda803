import type { Criteria } from '@workflowlookup/schema';
import { checkCriteria } from '@workflowlookup/validation';

const base = '/steps/0/validationCriteria';

/** Returns the pointer and the reason of each criterion that is reported as impossible. */
export async function impossible(validationCriteria: Criteria): Promise<readonly [string, string][]> {
  const step = { id: 'one', title: 'One', prompt: 'Do it.', validationCriteria };
  const found = await checkCriteria({ id: 'a-flow', name: 'A', description: 'A.', steps: [step] });
  return found
    .filter(({ code }) => code === 'impossible-criteria')
    .map(({ pointer, message }) => [pointer.slice(base.length), message]);
}

/** Returns a rule that requires a text. */
export const has = (value: string): Criteria => ({ type: 'contains', value, message: 'm' });

/** Returns a rule that requires a length. */
export const length = (bounds: object): Criteria => ({ type: 'length', message: 'm', ...bounds });
