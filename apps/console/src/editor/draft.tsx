import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Issue } from '@workflowlookup/schema';
import { diff3Merge } from 'node-diff3';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { RequestError } from '../api/client.ts';
import { saveText, textBeforeQuery } from '../api/queries.ts';
import { Button } from '../components/controls.tsx';
import { OpenDialog } from '../components/dialog.tsx';
import { ErrorNotice, Notice } from '../components/notice.tsx';
import type { DefinitionText, InvalidText, TextConflict } from '../contract/index.ts';
import { editorMessages } from '../messages/workflows.ts';
import { IssueList } from '../workflows/files.tsx';
import { DiffView } from './codemirror.tsx';

const { draft: proposed, save: messages } = editorMessages;

/** A file in the editor. A new file has an empty text and no digest. */
export interface Draft extends Omit<DefinitionText, 'digest'> {
  readonly digest: string | null;
}

const step = { id: 'first-step', title: proposed.stepTitle, prompt: proposed.stepPrompt };

/** Returns a draft with a minimal step workflow. Its notation depends on the file name: JSON for `.json`, otherwise YAML. */
export function newDraft(source: string, file: string): Draft {
  const about = {
    id: file.replace(/\.\w+$/, ''),
    name: proposed.name,
    description: proposed.description,
    version: '0.1.0',
  };
  const isJson = file.endsWith('.json');
  return {
    source,
    file,
    notation: isJson ? 'json' : 'yaml',
    text: isJson ? `${JSON.stringify({ ...about, steps: [step] }, null, 2)}\n` : yamlOf(about),
    digest: null,
    isWritable: true,
    files: [],
  };
}

function yamlOf({
  id,
  name,
  description,
  version,
}: Record<'id' | 'name' | 'description' | 'version', string>): string {
  const lines = [
    // Quote the id, because YAML would read some file names as numbers.
    `id: ${JSON.stringify(id)}`,
    `name: ${name}`,
    `description: ${description}`,
    `version: ${version}`,
    'steps:',
    `  - id: ${step.id}`,
    `    title: ${step.title}`,
    `    prompt: ${step.prompt}`,
  ];
  return `${lines.join('\n')}\n`;
}

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

type Versions = Readonly<Record<'mine' | 'theirs', string>>;

/**
 * Merges two texts that were both changed from a third one, line by line. A change that only one of them has is taken;
 * where both changed the same lines in different ways, both are kept between marks with their names. Returns the text, and
 * the number of such conflicts.
 */
export function mergeTexts(
  base: string,
  { mine, theirs }: Versions,
  names: Versions,
): { readonly text: string; readonly conflicts: number } {
  const regions = diff3Merge(mine.split('\n'), base.split('\n'), theirs.split('\n'));
  const lines = regions.flatMap(({ ok = [], conflict }) =>
    conflict === undefined
      ? ok
      : [`<<<<<<< ${names.mine}`, ...conflict.a, '=======', ...conflict.b, `>>>>>>> ${names.theirs}`],
  );
  const conflicts = regions.filter(({ conflict }) => conflict !== undefined).length;
  return { text: lines.join('\n'), conflicts };
}

/** Returns whether a text still has places of a merge where both versions are kept. */
export function hasConflictMarks(text: string): boolean {
  return /^(<{7}|>{7}) /m.test(text);
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
