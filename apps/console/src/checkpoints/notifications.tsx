import { Bell, BellOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { Button } from '../components/controls.tsx';
import { sessionTitle } from '../components/tags.tsx';
import type { SessionListRow } from '../contract/index.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';

const { notifications: messages } = checkpointMessages;

/** Renders the button that turns notifications about new checkpoints on and off. */
export function NotificationSwitch(): ReactNode {
  const [state, setState] = useState(notificationState);
  if (state === 'unavailable') return null;
  if (state === 'refused') return <span className="muted small">{messages.forbidden}</span>;
  const isOn = state === 'on';
  return (
    <Button
      icon={isOn ? Bell : BellOff}
      aria-pressed={isOn}
      onClick={() => void turnNotifications(isOn ? 'off' : 'on').then(setState)}
    >
      {messages.button}
    </Button>
  );
}

const storageKey = 'workflowlookup.notify';
const notified = new Set<string>();

/** Whether this browser shows notifications. It is `refused` if the browser's settings forbid them. */
type NotificationState = 'on' | 'off' | 'refused' | 'unavailable';

function notificationState(): NotificationState {
  if (!('Notification' in globalThis)) return 'unavailable';
  if (Notification.permission === 'denied') return 'refused';
  return Notification.permission === 'granted' && localStorage.getItem(storageKey) === 'on' ? 'on' : 'off';
}

/** Asks the user for permission if the browser requires it. */
async function turnNotifications(to: 'on' | 'off'): Promise<NotificationState> {
  if (to === 'on') await Notification.requestPermission();
  localStorage.setItem(storageKey, to);
  return notificationState();
}

/** Notifies the user once of each session that reaches a checkpoint while the page is in the background. */
export function notifyOfCheckpoints(sessions: readonly SessionListRow[]): void {
  for (const session of sessions) {
    const { sid, revision, status, checkpoint } = session;
    const key = `${sid} ${revision}`;
    if (status !== 'blocked' || notified.has(key)) continue;
    notified.add(key);
    if (document.visibilityState === 'visible' || notificationState() !== 'on') continue;
    const shown = new Notification(messages.title(sessionTitle(session)), {
      body: checkpoint ?? '',
      tag: sid,
    });
    shown.addEventListener('click', () => globalThis.focus());
  }
}
