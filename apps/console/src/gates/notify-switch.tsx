import { Bell, BellOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { notifyState, turnNotifyOff, turnNotifyOn } from './notify-of-gates.ts';

/** Whether the browser tells of new checkpoints while the page is in the background. */
export function NotifySwitch(): ReactNode {
  const [state, setState] = useState(notifyState);
  if (state === 'unavailable') return null;
  if (state === 'refused')
    return <span className="muted small">This browser’s settings forbid notifications.</span>;
  const isOn = state === 'on';
  const Icon = isOn ? Bell : BellOff;
  return (
    <button
      type="button"
      className="button"
      aria-pressed={isOn}
      onClick={() => {
        if (isOn) setState(turnNotifyOff());
        else void turnNotifyOn().then(setState);
      }}
    >
      <Icon size={16} aria-hidden />
      Notify me
    </button>
  );
}
