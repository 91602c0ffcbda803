import type { Json } from '@workflowlookup/schema';
import { encodeToon } from '@workflowlookup/schema';

/** A value of ours as TOON: plain data, whose types JSON's own does not know. */
export function toToon(value: object): Promise<string> {
  return encodeToon(value as Json);
}
