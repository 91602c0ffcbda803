/** Both spellings of tokens, each advisory and strict. */
export const variants = (['reference', 'self-contained'] as const).flatMap((tokens) =>
  (['advisory', 'strict'] as const).map((enforcement) => ({ tokens, enforcement })),
);
