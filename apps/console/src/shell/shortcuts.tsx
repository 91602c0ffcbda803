import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { DialogFrame } from '../components/dialog.tsx';
import { createStore } from '../components/store.ts';
import { shellMessages } from '../messages/common.ts';

/** A key of the console, and what it does. */
interface Shortcut {
  /**
   * A key as in `KeyboardEvent.key`, such as `j`, `?` or `ArrowUp`. `mod+k` means Ctrl+K, or Cmd+K on a Mac. Only keys with
   * `mod` also work while the user is typing in a field.
   */
  readonly keys: string;
  /** What it does, for the list of shortcuts. Shortcuts without a label are not listed. */
  readonly label?: string;
  /** Absent for a key that a field handles itself, and that is only listed. */
  readonly run?: (event: KeyboardEvent) => void;
  /** Whether it works now. If not, the browser handles the key. By default, it always works. */
  readonly isActive?: (event: KeyboardEvent) => boolean;
}

/** The shortcuts of one part of the console while it is shown. */
interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

const activeGroups = createStore<readonly RefObject<ShortcutGroup>[]>([]);

/**
 * Offers shortcuts while the calling component is shown. If two components offer the same key, the one that was shown
 * last gets it.
 */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const group = useRef({ title, shortcuts });
  useLayoutEffect(() => {
    group.current = { title, shortcuts };
  });
  useEffect(() => {
    activeGroups.set([...activeGroups.get(), group]);
    return () => activeGroups.set(activeGroups.get().filter((one) => one !== group));
  }, []);
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
    const shortcut = activeGroups
      .get()
      .flatMap(({ current }) => current.shortcuts)
      .findLast((one) => isPressed(one, event) && (!isTyping || hasMod(one)));
    if (shortcut?.run === undefined || shortcut.isActive?.(event) === false) return;
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

const { shortcuts: messages } = shellMessages;

/** Moves the focus to the search field of the page. */
export function focusSearch(): void {
  document.querySelector<HTMLElement>('main input[type="search"]')?.focus();
}

/** Shows the shortcuts of the current page, for users who are in a field where `?` is a character. */
export function showShortcuts(): void {
  document.dispatchEvent(new KeyboardEvent('keydown', { key: '?' }));
}

/** Shows the shortcuts of the current page when the user presses `?`. */
export function ShortcutHelp(): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  useShortcuts(messages.everywhere, [{ keys: '?', label: messages.help, run: () => setIsOpen(true) }]);
  const groups = mergedByTitle(activeGroups.useValue().map(({ current }) => current));
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <DialogFrame title={messages.title} isNarrow>
        {groups.map(({ title, shortcuts }) => (
          <ShortcutList key={title} title={title} shortcuts={shortcuts} />
        ))}
        <div>
          <Dialog.Close className="button">{messages.close}</Dialog.Close>
        </div>
      </DialogFrame>
    </Dialog.Root>
  );
}

/** Several components may offer shortcuts of the same group. */
function mergedByTitle(groups: readonly ShortcutGroup[]): readonly ShortcutGroup[] {
  return [...new Set(groups.map(({ title }) => title))].map((title) => ({
    title,
    shortcuts: groups.filter((one) => one.title === title).flatMap(({ shortcuts }) => shortcuts),
  }));
}

function ShortcutList({
  title,
  shortcuts,
}: {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}): ReactNode {
  const listed = shortcuts.filter(({ label }) => label !== undefined);
  if (listed.length === 0) return null;
  return (
    <section className="stack-tight">
      <h3>{title}</h3>
      <dl className="shortcuts">
        {listed.map(({ keys, label }) => (
          <div key={keys}>
            <dt>
              <Keys keys={keys} />
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Renders the keys of a shortcut as they are called on this system. */
export function Keys({ keys }: { readonly keys: string }): ReactNode {
  const isMac = navigator.platform.startsWith('Mac');
  const names = keys.split('+').map((key) => {
    if (key === 'mod') return isMac ? '⌘' : 'Ctrl';
    return key.length === 1 ? key.toUpperCase() : key;
  });
  return names.map((name) => <kbd key={name}>{name}</kbd>);
}
