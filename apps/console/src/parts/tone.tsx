import { Circle, CircleCheck, CircleDashed, CirclePlay, Hand, OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';

/** What a colour says. Each also has a shape of its own, and stands beside a word. */
export type Tone = 'done' | 'current' | 'waits' | 'refused' | 'skipped' | 'planned';

const icons = {
  done: CircleCheck,
  current: CirclePlay,
  waits: Hand,
  refused: OctagonX,
  skipped: CircleDashed,
  planned: Circle,
} as const;

/** The shape of a tone, for those who read along; screen readers have the word beside it. */
export function ToneIcon({ tone, size = 14 }: { readonly tone: Tone; readonly size?: number }): ReactNode {
  const Icon = icons[tone];
  return <Icon size={size} aria-hidden />;
}

/** A word in the colour and with the shape of its tone. */
export function Tag({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }): ReactNode {
  return (
    <span className="tag" data-tone={tone}>
      <ToneIcon tone={tone} />
      {children}
    </span>
  );
}
