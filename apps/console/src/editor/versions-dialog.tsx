import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { textVersionsQuery, versionTextQuery } from '../api/queries.ts';
import { Button } from '../components/controls.tsx';
import { DialogFrame } from '../components/dialog.tsx';
import { EmptyState, Loaded } from '../components/notice.tsx';
import { Tag } from '../components/tags.tsx';
import { Moment } from '../components/time.tsx';
import type { TextVersion } from '../contract/index.ts';
import { editorMessages } from '../messages/workflows.ts';
import { DiffView } from './codemirror.tsx';
import type { Draft } from './draft.tsx';

const { versions: messages } = editorMessages;

interface VersionsProps {
  readonly draft: Draft;
  /** The text in the editor. */
  readonly text: string;
  /** Takes the text of an earlier version. */
  readonly onPutBack: (text: string) => void;
}

/** Renders a button that lists the earlier versions of a file, each with what it would change in the text. */
export function VersionsButton(props: VersionsProps): ReactNode {
  const { file } = props.draft;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger className="button">
        <History size={16} aria-hidden />
        {messages.open}
      </Dialog.Trigger>
      <DialogFrame title={messages.title(file)} explanation={messages.explanation}>
        <VersionsList
          {...props}
          onPutBack={(text) => {
            setIsOpen(false);
            props.onPutBack(text);
          }}
        />
      </DialogFrame>
    </Dialog.Root>
  );
}

function VersionsList({ draft, text, onPutBack }: VersionsProps): ReactNode {
  const { source, file, digest } = draft;
  const query = useQuery(textVersionsQuery(source, file));
  const [chosen, setChosen] = useState<TextVersion>();
  return (
    <Loaded query={query}>
      {({ versions }) => {
        const shown = chosen ?? versions.find((one) => one.digest !== digest);
        if (shown === undefined)
          return (
            <>
              <EmptyState title={messages.empty}>{messages.emptyNext}</EmptyState>
              <div className="row">
                <Dialog.Close className="button">{messages.close}</Dialog.Close>
              </div>
            </>
          );
        return (
          <div className="columns versions">
            <ul aria-label={messages.list}>
              {versions.map((version) => (
                <li key={`${version.digest} ${version.savedAt}`}>
                  <button
                    type="button"
                    aria-pressed={version.savedAt === shown.savedAt && version.digest === shown.digest}
                    onClick={() => setChosen(version)}
                  >
                    <Moment at={version.savedAt} />
                    {version.digest === digest && <Tag tone="done">{messages.current}</Tag>}
                    <span className="small muted">
                      {version.savedBy === undefined
                        ? messages.savedElsewhere
                        : messages.savedBy(version.savedBy)}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
            <VersionDiff
              key={shown.digest}
              draft={draft}
              text={text}
              digest={shown.digest}
              onPutBack={onPutBack}
            />
          </div>
        );
      }}
    </Loaded>
  );
}

/** Renders how an earlier version differs from the text in the editor, and the button that takes it over. */
function VersionDiff({
  draft,
  text,
  digest,
  onPutBack,
}: VersionsProps & { readonly digest: string }): ReactNode {
  const { source, file, notation } = draft;
  const query = useQuery(versionTextQuery({ source, file, digest }));
  return (
    <div className="stack">
      <Loaded query={query}>
        {({ text: earlier }) => (
          <>
            {earlier === text ? (
              <EmptyState title={messages.same} />
            ) : (
              <DiffView before={text} after={earlier} notation={notation} />
            )}
            <div className="row">
              <Button look="main" disabled={earlier === text} onClick={() => onPutBack(earlier)}>
                {messages.putBack}
              </Button>
              <Dialog.Close className="button">{messages.close}</Dialog.Close>
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
}
