import { useEffect, useSyncExternalStore } from 'react';

/** A key of the console, and what it does. */
export interface Shortcut {
  /** A key as in `KeyboardEvent.key`, such as `j`, `?` or `ArrowUp`. `mod+k` means Ctrl+K, or Cmd+K on a Mac. */
  readonly keys: string;
  /** What it does, for the list of shortcuts. Shortcuts without a label are not listed. */
  readonly label?: string;
  /** Whether it also works while the user is typing in a field. Shortcuts with `mod` always do. */
  readonly inFields?: boolean;
  readonly run: (event: KeyboardEvent) => void;
}

/** The shortcuts of one part of the console while it is shown. */
interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

let groups: readonly ShortcutGroup[] = [];
const listeners = new Set<() => void>();

/**
 * Offers shortcuts while the calling component is shown. If two components offer the same key, the one that was shown
 * last gets it. Keep `group` the same object between renders, for example with `useMemo`.
 */
export function useShortcuts(group: ShortcutGroup): void {
  useEffect(() => {
    setGroups([...groups, group]);
    return () => setGroups(groups.filter((one) => one !== group));
  }, [group]);
}

/** Returns the groups of shortcuts that work now. */
export function useActiveShortcuts(): readonly ShortcutGroup[] {
  return useSyncExternalStore(subscribe, () => groups);
}

function setGroups(next: readonly ShortcutGroup[]): void {
  groups = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Runs the shortcut of a pressed key. Call it once, when the console starts. */
export function listenToShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    // The editor is in a shadow tree, which hides the field from `event.target`.
    const isTyping = isInField(event.composedPath()[0] ?? null);
    // A dialog has its own keys.
    if (event.target instanceof Element && event.target.closest('[role="dialog"], [role="alertdialog"]'))
      return;
    const shortcut = groups
      .flatMap(({ shortcuts }) => shortcuts)
      .findLast((one) => isPressed(one, event) && (!isTyping || one.inFields === true || hasMod(one)));
    if (shortcut === undefined) return;
    event.preventDefault();
    shortcut.run(event);
  });
}

function hasMod({ keys }: Shortcut): boolean {
  return keys.startsWith('mod+');
}

function isPressed(shortcut: Shortcut, { key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  const wanted = hasMod(shortcut) ? shortcut.keys.slice('mod+'.length) : shortcut.keys;
  return (ctrlKey || metaKey) === hasMod(shortcut) && key.toLowerCase() === wanted.toLowerCase();
}

const textTypes = new Set(['text', 'search', 'password', 'email', 'url', 'number', 'tel', 'date', 'time']);

function isInField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return textTypes.has(target.type);
  return target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName);
}
