import type { Criteria } from '@workflowlookup/schema';
import { checkCriteria } from '@workflowlookup/validation';

const base = '/steps/0/validationCriteria';

/** Where criteria are said to be impossible, and why. */
export async function impossible(validationCriteria: Criteria): Promise<readonly [string, string][]> {
  const step = { id: 'one', title: 'One', prompt: 'Do it.', validationCriteria };
  const found = await checkCriteria({ id: 'a-flow', name: 'A', description: 'A.', steps: [step] });
  return found
    .filter(({ code }) => code === 'impossible-criteria')
    .map(({ pointer, message }) => [pointer.slice(base.length), message]);
}

/** A rule that asks for a text. */
export const has = (value: string): Criteria => ({ type: 'contains', value, message: 'm' });

/** A rule that asks for a length. */
export const length = (bounds: object): Criteria => ({ type: 'length', message: 'm', ...bounds });
