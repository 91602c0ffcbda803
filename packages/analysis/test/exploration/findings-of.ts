import type { Exploration } from '../../src/exploration/explore.ts';

/** Returns the findings of an exploration without their suggestions. */
export function findingsOf({ findings }: Exploration): readonly { readonly code: string }[] {
  return findings.map(({ code, pointer, message }) => ({ code, pointer, message }));
}
