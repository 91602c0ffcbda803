/** How to put a finding right without changing what the definition means. */
export type Repair =
  /** Another word for the key or value, in the quotes it has. */
  | { readonly kind: 'respell'; readonly to: string }
  /** Other characters in the value, wherever it has these. */
  | { readonly kind: 'swap'; readonly from: string; readonly to: string }
  /** The value as text, as a number or truth value, or as the only item of a list. */
  | { readonly kind: 'retype'; readonly as: 'list' | 'literal' | 'text' }
  /** A property more, behind the one at this pointer of the document. */
  | { readonly kind: 'append'; readonly behind: string; readonly key: string; readonly value: string }
  /** One character less. */
  | { readonly kind: 'cut' };
