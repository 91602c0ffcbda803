import type { ReactNode } from 'react';
import { useNow } from './use-now.ts';
import { agoText } from './ago-text.ts';

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' });

/** How long ago something happened, kept current; the exact time is its title. */
export function TimeSince({ at }: { readonly at: string }): ReactNode {
  const now = useNow();
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {agoText(now - Date.parse(at))}
    </time>
  );
}

/** A moment to the second, in the words and the zone of the reader. */
export function Moment({ at }: { readonly at: string }): ReactNode {
  return <time dateTime={at}>{exact.format(new Date(at))}</time>;
}
