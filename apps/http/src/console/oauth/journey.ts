import type { KeyRing } from '@workflowlookup/core';
import { z } from 'zod';
import { createCookieSeal } from '../account/cookie-seal.ts';

/** What is kept in a browser while it is at the authorization server. */
export type Journey = z.infer<typeof claims>;

const claims = z.object({ state: z.string(), verifier: z.string() });

/** How long one may take to sign in there. */
export const journeySeconds = 600;

/** Seals and opens what is kept meanwhile. */
export const journeySeal = createCookieSeal({ issuer: 'workflowlookup-console-journey', claims });

/** Seals it for as long as one may take. */
export function sealJourney(keys: KeyRing, journey: Journey): Promise<string> {
  return journeySeal.close(keys, journey, journeySeconds);
}
