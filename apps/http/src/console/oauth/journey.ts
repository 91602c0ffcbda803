import type { KeyRing } from '@workflowlookup/core';
import { z } from 'zod';
import { createSeal } from '../account/seal.ts';

/** What the page keeps while its user is at the authorization server. */
export type Journey = z.infer<typeof claims>;

const claims = z.object({ state: z.string(), verifier: z.string() });

/** How long one may take to sign in there. */
const journeySeconds = 600;

const journeySeal = createSeal({ issuer: 'workflowlookup-console-journey', claims });

/** Seals it for as long as one may take. */
export function sealJourney(keys: KeyRing, journey: Journey): Promise<string> {
  return journeySeal.close(keys, journey, journeySeconds);
}

/** Opens it; `undefined` for anything else. */
export function openJourney(keys: KeyRing, sealed: string): Promise<Journey | undefined> {
  return journeySeal.open(keys, sealed, journeySeconds);
}
