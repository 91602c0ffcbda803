import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useMe } from '../shell/me-context.ts';
import { CheckParts } from './check-parts.tsx';
import { DeskActions } from './desk-actions.tsx';
import type { Draft } from './draft.ts';
import { SaveDialog } from './save-dialog.tsx';
import type { TextEditorProps } from './text-editor.tsx';
import { TextEditor } from './text-editor.tsx';
import { useCheck } from './use-check.ts';
import { useUnsaved } from './use-unsaved.ts';

/** A draft, what the server says of it while it is written, and the way to save it. */
export function EditorDesk({ draft }: { readonly draft: Draft }): ReactNode {
  const navigate = useNavigate();
  const { may } = useMe();
  const [text, setText] = useState(draft.text);
  const [isSaving, setIsSaving] = useState(false);
  const [place, setPlace] = useState<TextEditorProps['place']>();
  const { check, isCurrent } = useCheck({ source: draft.source, file: draft.file, text });
  const isReadOnly = !draft.isWritable || !may.save;
  const isChanged = !isReadOnly && (text !== draft.text || draft.digest === null);
  const isSaved = useUnsaved(isChanged);
  return (
    <>
      <DeskActions
        isReadOnly={isReadOnly}
        isChanged={isChanged}
        isUsable={isCurrent ? check?.isUsable : undefined}
        onSave={() => setIsSaving(true)}
      />
      <div className="desk">
        <TextEditor
          text={draft.text}
          file={draft}
          isReadOnly={isReadOnly}
          issues={check?.problems ?? noIssues}
          place={place}
          onChange={setText}
        />
        <CheckParts check={check} text={text} onGo={setPlace} />
      </div>
      {isSaving && (
        <SaveDialog
          draft={draft}
          text={text}
          onClose={() => setIsSaving(false)}
          onSaved={(id) => {
            isSaved.current = true;
            void navigate({ to: '/workflows/$id', params: { id } });
          }}
        />
      )}
    </>
  );
}

const noIssues: TextEditorProps['issues'] = [];
