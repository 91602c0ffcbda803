import { createContext, use } from 'react';
import type { SignedIn } from '../contract.ts';

/** Who is signed in, for the pages. */
export const MeContext = createContext<SignedIn | undefined>(undefined);

/** Who is signed in. Pages are shown to nobody else. */
export function useMe(): SignedIn {
  const me = use(MeContext);
  if (me === undefined) throw new Error('A page was shown to nobody.');
  return me;
}
