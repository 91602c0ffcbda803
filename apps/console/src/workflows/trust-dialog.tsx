import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { callApi } from '../api/client.ts';
import { reviewQuery } from '../api/queries.ts';
import { Button, TextField } from '../components/controls.tsx';
import { OpenDialog } from '../components/dialog.tsx';
import { Loaded, Notice, ErrorNotice } from '../components/notice.tsx';
import type { DefinitionReview } from '../contract/index.ts';
import { DiffView } from '../editor/codemirror.tsx';
import { workflowMessages } from '../messages/workflows.ts';

const { trust: messages } = workflowMessages;

/**
 * Returns the review that was shown first. The page may fetch a later one, for example when its window gets the focus, but
 * a person agrees to what they have read. The server refuses that if the text has changed since.
 */
export function useShown<Review>(latest: Review): Review {
  const [shown] = useState(latest);
  return shown;
}

/** Shows what a person needs to know before they trust a definition, and lets them trust it. */
export function TrustDialog({
  location,
  onClose,
}: {
  readonly location: Pick<DefinitionReview, 'source' | 'file'>;
  readonly onClose: () => void;
}): ReactNode {
  const query = useQuery(reviewQuery(location));
  return (
    <OpenDialog title={location.file} explanation={messages.explanation} onClose={onClose}>
      <Loaded query={query}>{(review) => <ReviewContent review={review} onClose={onClose} />}</Loaded>
    </OpenDialog>
  );
}

interface ReviewProps {
  readonly review: DefinitionReview;
  readonly onClose: () => void;
}

function ReviewContent({ review: latest, onClose }: ReviewProps): ReactNode {
  const review = useShown(latest);
  const { hidden, commands, problems, checkpoints } = review;
  const inFile = ({ file, line, text }: DefinitionReview['hidden'][number]): string =>
    messages.location(file, line, text);
  return (
    <div className="stack">
      <ReplacedNotice review={review} />
      <ChangedCheckpointsNotice review={review} />
      <ReviewSection title={messages.sections.hidden} lines={hidden.map(inFile)} />
      <ReviewSection title={messages.sections.problems} lines={problems.map(inFile)} />
      <ReviewSection title={messages.sections.commands} lines={commands.map(inFile)} />
      <ReviewSection
        title={messages.sections.checkpoints}
        lines={checkpoints.map(({ id, message, needsPerson }) =>
          messages.checkpoint(id, needsPerson, message),
        )}
      />
      {review.files
        .filter(({ text, before }) => text !== before)
        .map((file) => (
          <FileDiff key={file.file} {...file} />
        ))}
      <TrustActions review={review} onClose={onClose} />
    </div>
  );
}

function ReplacedNotice({ review: { replaces } }: { readonly review: DefinitionReview }): ReactNode {
  if (replaces === undefined) return null;
  const { source, id, missing, weaker, added } = replaces;
  return (
    <Notice tone="refused" title={messages.replaces(source, id)}>
      {missing.length > 0 && <p>{messages.replacesMissing(missing.join(', '))}</p>}
      {weaker.length > 0 && <p>{messages.replacesWeaker(weaker.join(', '))}</p>}
      {added.length > 0 && <p>{messages.replacesAdded(added.join(', '))}</p>}
    </Notice>
  );
}

function ChangedCheckpointsNotice({ review: { since } }: { readonly review: DefinitionReview }): ReactNode {
  if (since === undefined) return null;
  const { missing, weaker, added } = since;
  return (
    <Notice tone={missing.length + weaker.length > 0 ? 'refused' : 'waits'} title={messages.changed}>
      {missing.length > 0 && <p>{messages.changedMissing(missing.join(', '))}</p>}
      {weaker.length > 0 && <p>{messages.changedWeaker(weaker.join(', '))}</p>}
      {added.length > 0 && <p>{messages.changedAdded(added.join(', '))}</p>}
    </Notice>
  );
}

/** Shows what has changed in a file since it was trusted. */
export function FileDiff({
  file,
  text,
  before = '',
  notation,
}: DefinitionReview['files'][number]): ReactNode {
  return (
    <section className="stack-tight">
      <h3>
        <code>{file}</code>
      </h3>
      <DiffView before={before} after={text} notation={notation} />
    </section>
  );
}

/** Renders a list of places in the files of a review; nothing for an empty list. */
export function ReviewSection({
  title,
  lines,
}: {
  readonly title: string;
  readonly lines: readonly string[];
}): ReactNode {
  if (lines.length === 0) return null;
  return (
    <section className="stack-tight">
      <h3>{title}</h3>
      <ul>
        {lines.map((line, at) => (
          <li key={`${at} ${line}`}>
            <code>{line}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function TrustActions({ review, onClose }: ReviewProps): ReactNode {
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const { source, file, digest, replaces, isTrustable } = review;
  const trust = useMutation({
    mutationFn: () =>
      callApi('POST /trust', { body: { source, file, digest, ...(replaces && { replaces: typed }) } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['workflows'] });
      onClose();
    },
  });
  return (
    <>
      {!isTrustable && (
        <Notice tone="waits" title={messages.notTrustable}>
          {messages.notTrustableReason}
        </Notice>
      )}
      {isTrustable && replaces !== undefined && (
        <TextField label={messages.confirm} value={typed} onChange={setTyped} />
      )}
      <ErrorNotice title={messages.failed} error={trust.error} />
      <div className="row">
        <Button
          look="main"
          disabled={!isTrustable || trust.isPending || (replaces !== undefined && typed !== replaces.id)}
          onClick={() => trust.mutate()}
        >
          {messages.accept}
        </Button>
        <Dialog.Close className="button">{messages.cancel}</Dialog.Close>
      </div>
    </>
  );
}
