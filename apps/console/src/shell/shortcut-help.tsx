import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { useMemo, useState } from 'react';
import { shellMessages } from '../messages/common.ts';
import type { Shortcut } from './shortcuts.ts';
import { useActiveShortcuts, useShortcuts } from './shortcuts.ts';

const { shortcuts: messages } = shellMessages;

/** Shows the shortcuts of the current page when the user presses `?`. */
export function ShortcutHelp(): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  useShortcuts(
    useMemo(
      () => ({
        title: messages.everywhere,
        shortcuts: [{ keys: '?', label: messages.help, run: () => setIsOpen(true) }],
      }),
      [],
    ),
  );
  const groups = useActiveShortcuts();
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-ground" />
        <Dialog.Popup className="dialog dialog-narrow">
          <Dialog.Title render={<h2 />}>{messages.title}</Dialog.Title>
          {groups.map(({ title, shortcuts }) => (
            <ShortcutList key={title} title={title} shortcuts={shortcuts} />
          ))}
          <div>
            <Dialog.Close className="button">{messages.close}</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
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
function Keys({ keys }: { readonly keys: string }): ReactNode {
  const isMac = navigator.platform.startsWith('Mac');
  const names = keys.split('+').map((key) => {
    if (key === 'mod') return isMac ? '⌘' : 'Ctrl';
    return key.length === 1 ? key.toUpperCase() : key;
  });
  return names.map((name) => <kbd key={name}>{name}</kbd>);
}
