import type { RunRow } from '../contract.ts';
import { runTitle } from '../parts/run-title.ts';

const storageKey = 'workflowlookup.notify';
const told = new Set<string>();

/** Whether this browser tells of new checkpoints; `refused` where its settings forbid it. */
export type NotifyState = 'on' | 'off' | 'refused' | 'unavailable';

/** How it stands. */
export function notifyState(): NotifyState {
  if (!('Notification' in globalThis)) return 'unavailable';
  if (Notification.permission === 'denied') return 'refused';
  return Notification.permission === 'granted' && localStorage.getItem(storageKey) === 'on' ? 'on' : 'off';
}

/** Asks the person through the browser, where they never said. */
export async function turnNotifyOn(): Promise<NotifyState> {
  await Notification.requestPermission();
  localStorage.setItem(storageKey, 'on');
  return notifyState();
}

/** Stops it. */
export function turnNotifyOff(): NotifyState {
  localStorage.setItem(storageKey, 'off');
  return notifyState();
}

/** Tells once of each checkpoint that begins to wait while nobody looks at the page. */
export function notifyOfGates(runs: readonly RunRow[]): void {
  for (const run of runs) {
    const { sid, revision, status, checkpoint } = run;
    const key = `${sid} ${revision}`;
    if (status !== 'blocked' || told.has(key)) continue;
    told.add(key);
    if (document.visibilityState === 'visible' || notifyState() !== 'on') continue;
    const shown = new Notification(`${runTitle(run)} waits for an answer`, {
      body: checkpoint ?? '',
      tag: sid,
    });
    shown.addEventListener('click', () => globalThis.focus());
  }
}
