import { isJsonObject } from '@workflowlookup/schema';
import type { Entry } from './clients.ts';

/** Whether an entry that is there reaches its server in the same way, so that what a person added to it still holds. */
export function isOfSameKind(old: unknown, { url }: Entry): old is Entry {
  return isJsonObject(old) && (url === undefined ? 'command' : 'url') in old;
}
