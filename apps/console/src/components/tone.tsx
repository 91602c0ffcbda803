import { Circle, CircleCheck, CircleDashed, CirclePlay, Hand, OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';
import type { NodeState, SessionDetail } from '../contract.ts';

/** A state that has a colour and an icon. It is always shown together with a word. */
export type Tone = 'done' | 'current' | 'waits' | 'refused' | 'skipped' | 'planned';

const icons = {
  done: CircleCheck,
  current: CirclePlay,
  waits: Hand,
  refused: OctagonX,
  skipped: CircleDashed,
  planned: Circle,
} as const;

/** Renders the icon of a tone. Screen readers skip it, because a word is next to it. */
export function ToneIcon({ tone, size = 14 }: { readonly tone: Tone; readonly size?: number }): ReactNode {
  const Icon = icons[tone];
  return <Icon size={size} aria-hidden />;
}

/** Renders a word with the colour and the icon of a tone. */
export function Tag({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }): ReactNode {
  return (
    <span className="tag" data-tone={tone}>
      <ToneIcon tone={tone} />
      {children}
    </span>
  );
}

/** The state of an activity or a step in a graph or in a plan. */
type ActivityState = NodeState | SessionDetail['story']['plan'][number]['standing'];

/** Returns the tone of a state. The tone is also the word that is shown. */
export function toneOf(standing: ActivityState): Exclude<Tone, 'waits'> {
  return standing === 'ahead' || standing === 'depends' ? 'planned' : standing;
}
