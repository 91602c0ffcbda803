/** Both token formats, each with advisory and strict enforcement. */
export const variants = (['reference', 'self-contained'] as const).flatMap((tokens) =>
  (['advisory', 'strict'] as const).map((enforcement) => ({ tokens, enforcement })),
);
