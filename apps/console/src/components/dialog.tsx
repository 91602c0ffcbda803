import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';

interface DialogFrameProps {
  readonly title: string;
  readonly explanation?: string;
  readonly isNarrow?: boolean;
  readonly children: ReactNode;
}

/** Renders what every dialog with a title has in common. It belongs into a `Dialog.Root`. */
export function DialogFrame({ title, explanation, isNarrow = false, children }: DialogFrameProps): ReactNode {
  return (
    <Dialog.Portal>
      <Dialog.Backdrop className="dialog-ground" />
      <Dialog.Popup className={isNarrow ? 'dialog dialog-narrow' : 'dialog'}>
        <Dialog.Title>{title}</Dialog.Title>
        {explanation !== undefined && (
          <Dialog.Description className="muted">{explanation}</Dialog.Description>
        )}
        {children}
      </Dialog.Popup>
    </Dialog.Portal>
  );
}

/** Renders a dialog that is open as long as it is rendered. */
export function OpenDialog({
  onClose,
  ...props
}: DialogFrameProps & { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DialogFrame {...props} />
    </Dialog.Root>
  );
}
