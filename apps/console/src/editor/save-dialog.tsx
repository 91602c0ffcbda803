import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Issue } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { RequestError } from '../api/client.ts';
import { saveText, textBeforeQuery } from '../api/queries.ts';
import { Button } from '../components/controls.tsx';
import { OpenDialog } from '../components/dialog.tsx';
import { ErrorNotice, Notice } from '../components/notice.tsx';
import type { InvalidText, TextConflict } from '../contract/index.ts';
import { editorMessages } from '../messages/workflows.ts';
import { IssueList } from '../workflows/problems.tsx';
import { DiffView } from './codemirror.tsx';
import type { Draft } from './draft.ts';
import { mergeTexts } from './draft.ts';

const { save: messages } = editorMessages;

/**
 * Shows the changes and saves them when the user confirms. If the file was changed by somebody else, that fails, and the
 * text is compared with theirs before the user tries again.
 */
export function SaveDialog({
  draft,
  text,
  onSaved,
  onMerged,
  onClose,
}: {
  readonly draft: Draft;
  readonly text: string;
  readonly onSaved: (workflowId: string) => void;
  readonly onMerged: TakeMerged;
  readonly onClose: () => void;
}): ReactNode {
  const { source, file, notation } = draft;
  const client = useQueryClient();
  /** The text that saving will replace. A new file replaces nothing, so all of it is new. */
  const [base, setBase] = useState<Pick<Draft, 'text' | 'digest'>>(
    draft.digest === null ? { text: '', digest: null } : draft,
  );
  const save = useMutation({
    mutationFn: () => saveText(client, { source, file, text, digest: base.digest }),
    onSuccess: ({ workflowId, digest }) => {
      if (base.digest !== null)
        client.setQueryData(textBeforeQuery(source, file).queryKey, { text: base.text, digest });
      onSaved(workflowId);
    },
    onError: (error) => {
      const there = conflictIn(error);
      if (there !== undefined) setBase({ digest: there.digest, text: there.text ?? '' });
    },
  });
  const conflict = conflictIn(save.error) !== undefined;
  const problems = problemsIn(save.error);
  return (
    <OpenDialog title={messages.title(file)} explanation={messages.explanation(source)} onClose={onClose}>
      {conflict && (
        <MergeNotice
          title={messages.conflict}
          next={messages.conflictNext}
          before={draft.text}
          mine={text}
          theirs={base}
          onMerged={onMerged}
        />
      )}
      {problems !== undefined && (
        <Notice tone="refused" title={messages.invalid}>
          <IssueList issues={problems} />
        </Notice>
      )}
      {!conflict && problems === undefined && <ErrorNotice title={messages.failed} error={save.error} />}
      <DiffView key={base.digest} before={base.text} after={text} notation={notation} />
      <div className="row">
        <Button look={conflict ? undefined : 'main'} disabled={save.isPending} onClick={() => save.mutate()}>
          {conflict ? messages.replace : messages.submit}
        </Button>
        <Dialog.Close className="button">{messages.cancel}</Dialog.Close>
      </div>
    </OpenDialog>
  );
}

/** Takes the text with both changes, and the version of the file that it is based on. */
type TakeMerged = (text: string, base: Pick<Draft, 'text' | 'digest'>) => void;

/** Says that the file was changed elsewhere, and merges that change with the user's. */
export function MergeNotice({
  title,
  next,
  label,
  before,
  mine,
  theirs,
  onMerged,
}: {
  readonly title: string;
  readonly next: string;
  /** What the button says; by default, how many conflicts a merge has. */
  readonly label?: string | undefined;
  /** The text that both changed. */
  readonly before: string;
  readonly mine: string;
  readonly theirs: Pick<Draft, 'text' | 'digest'>;
  readonly onMerged: TakeMerged;
}): ReactNode {
  const merged = mergeTexts(before, { mine, theirs: theirs.text }, messages.versions);
  return (
    <Notice tone="waits" title={title}>
      <p>{next}</p>
      <div>
        <Button look="main" size="small" onClick={() => onMerged(merged.text, theirs)}>
          {label ?? messages.merge(merged.conflicts)}
        </Button>
      </div>
    </Notice>
  );
}

function conflictIn(error: Error | null): TextConflict['data'] | undefined {
  if (!(error instanceof RequestError) || error.code !== 'CONFLICT' || !('digest' in error.data))
    return undefined;
  return error.data as unknown as TextConflict['data'];
}

function problemsIn(error: Error | null): readonly Issue[] | undefined {
  if (!(error instanceof RequestError) || error.code !== 'INVALID_WORKFLOW') return undefined;
  return (error.data as unknown as InvalidText['data']).problems;
}
