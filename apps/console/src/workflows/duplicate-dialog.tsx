import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { callApi, errorMessage } from '../api/client.ts';
import { catalogueQuery } from '../api/queries.ts';
import { FilterSelect } from '../components/inputs.tsx';
import { Notice } from '../components/notice.tsx';
import type { WorkflowDetail } from '../contract.ts';
import { workflowMessages } from '../messages/workflows.ts';
import { useMe } from '../shell/page.tsx';

const { page: messages } = workflowMessages;

/** Copies all files of a workflow to a source that can be saved to. Renders nothing if there is no such source. */
export function DuplicateButton({ detail }: { readonly detail: WorkflowDetail }): ReactNode {
  const id = useId();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { may } = useMe();
  const catalogue = useQuery(catalogueQuery);
  const writable = catalogue.data?.sources.filter(({ isWritable }) => isWritable) ?? [];
  const [isOpen, setIsOpen] = useState(false);
  const [copyId, setCopyId] = useState(`${detail.outline.id}-copy`);
  const [chosen, setChosen] = useState<string>();
  const file = detail.files[0]?.file;
  const to = chosen ?? writable[0]?.name;
  const duplicate = useMutation({
    mutationFn: () =>
      callApi('POST /duplicate', {
        body: { source: detail.source, file: file ?? '', to: to ?? '', id: copyId },
      }),
    onSuccess: async ({ source, file: made }) => {
      await client.invalidateQueries({ queryKey: ['workflows'] });
      void navigate({ to: '/edit', search: { source, file: made } });
    },
  });
  if (!may.save || to === undefined || file === undefined) return null;
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger className="button">
        <Copy size={16} aria-hidden />
        {messages.duplicate}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-ground" />
        <Dialog.Popup className="dialog dialog-narrow">
          <Dialog.Title render={<h2 />}>{messages.duplicateTitle(detail.outline.name)}</Dialog.Title>
          <Dialog.Description className="muted">{messages.duplicateLead}</Dialog.Description>
          <form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault();
              duplicate.mutate();
            }}
          >
            <div className="field">
              <label htmlFor={id}>{messages.duplicateId}</label>
              <input
                id={id}
                className="input mono"
                autoComplete="off"
                spellCheck={false}
                aria-describedby={`${id}-rule`}
                value={copyId}
                onChange={({ target }) => setCopyId(target.value)}
              />
              <span id={`${id}-rule`} className="small muted">
                {messages.duplicateRule}
              </span>
            </div>
            {writable.length > 1 && (
              <FilterSelect
                label={messages.duplicateTo}
                none={writable[0]?.name ?? ''}
                options={writable.slice(1).map(({ name }) => [name, name] as const)}
                value={chosen}
                onChange={setChosen}
              />
            )}
            {duplicate.error !== null && (
              <Notice tone="refused" title={messages.duplicateFailed}>
                <p>{errorMessage(duplicate.error)}</p>
              </Notice>
            )}
            <div className="actions">
              <button className="button button-main" disabled={duplicate.isPending || copyId.trim() === ''}>
                {messages.duplicateSubmit}
              </button>
              <Dialog.Close className="button">{messages.duplicateCancel}</Dialog.Close>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
