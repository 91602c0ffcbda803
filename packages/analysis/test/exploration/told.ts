import type { Exploration } from '../../src/exploration/explore.ts';

/** What was found, without what a person does about it. */
export function told({ findings }: Exploration): readonly { readonly code: string }[] {
  return findings.map(({ code, pointer, message }) => ({ code, pointer, message }));
}
