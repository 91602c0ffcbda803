import type { Json } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { shortText } from './short-text.ts';

const maxShown = 2000;

/** A value as JSON, always as text; of a long one the beginning. */
export function ValueText({ value }: { readonly value: Json }): ReactNode {
  return <code>{shortText(JSON.stringify(value), maxShown)}</code>;
}
