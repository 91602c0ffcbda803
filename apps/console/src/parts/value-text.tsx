import type { Json } from '@workflowlookup/schema';
import type { ReactNode } from 'react';

const maxShown = 2000;

/** A value as JSON, always as text; of a long one the beginning. */
export function ValueText({ value }: { readonly value: Json }): ReactNode {
  const text = JSON.stringify(value);
  return <code>{text.length > maxShown ? `${text.slice(0, maxShown)}…` : text}</code>;
}
