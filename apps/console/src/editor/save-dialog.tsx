import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { reasonOf } from '../api/refusal.ts';
import { Notice } from '../parts/notice.tsx';
import { IssueList } from '../workflows/issue-list.tsx';
import { DiffView } from './diff-view.tsx';
import type { Draft } from './draft.ts';
import { useSave } from './use-save.ts';

/** Shows what saving would change, and saves when that is what was meant. */
export function SaveDialog({
  draft,
  text,
  onSaved,
  onClose,
}: {
  readonly draft: Draft;
  readonly text: string;
  readonly onSaved: (workflowId: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { source, file, notation } = draft;
  const { save, base, conflict, problems } = useSave({ draft, text, onSaved });
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-ground" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>Save {file}</Dialog.Title>
          <Dialog.Description className="muted">
            This is what changes in the source {source}. Runs under way go on with the definition they began
            with.
          </Dialog.Description>
          {conflict && (
            <Notice tone="waits" title="The file was changed by somebody else meanwhile.">
              <p>The changes below are now against what is there. Saving puts your text in its place.</p>
            </Notice>
          )}
          {problems !== undefined && (
            <Notice tone="refused" title="It would not be served, so it was not saved.">
              <IssueList issues={problems} />
            </Notice>
          )}
          {save.error !== null && !conflict && problems === undefined && (
            <Notice tone="refused" title="It was not saved.">
              <p>{reasonOf(save.error)}</p>
            </Notice>
          )}
          <DiffView key={base.digest} before={base.text} after={text} notation={notation} />
          <div className="actions">
            <button
              type="button"
              className="button button-main"
              disabled={save.isPending}
              onClick={() => save.mutate()}
            >
              Save
            </button>
            <Dialog.Close className="button">Go on editing</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
