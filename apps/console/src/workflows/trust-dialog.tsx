import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { ask } from '../api/ask.ts';
import { reviewQuery } from '../api/queries.ts';
import { reasonOf } from '../api/refusal.ts';
import type { DefinitionReview } from '../contract.ts';
import { DiffView } from '../editor/diff-view.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Notice } from '../parts/notice.tsx';

interface Place {
  readonly source: string;
  readonly file: string;
}

/** Shows everything a person needs to decide whether agents are served a definition, and takes the decision. */
export function TrustDialog({
  place,
  onClose,
}: {
  readonly place: Place;
  readonly onClose: () => void;
}): ReactNode {
  const query = useQuery(reviewQuery(place));
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-ground" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>{place.file}</Dialog.Title>
          <Dialog.Description className="muted">
            Agents follow what it says once you trust it. Your trust holds for this version alone.
          </Dialog.Description>
          <Loaded query={query}>{(review) => <ReviewParts review={review} onClose={onClose} />}</Loaded>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function ReviewParts({
  review,
  onClose,
}: {
  readonly review: DefinitionReview;
  readonly onClose: () => void;
}): ReactNode {
  const { hidden, commands, problems, checkpoints } = review;
  const inFile = ({ file, line, text }: DefinitionReview['hidden'][number]): string =>
    `${file}:${line} ${text}`;
  return (
    <div className="stack">
      <ReplacedNotice review={review} />
      <SinceNotice review={review} />
      <Found title="Characters that can't be seen" lines={hidden.map(inFile)} />
      <Found title="Problems" lines={problems.map(inFile)} />
      <Found title="Lines that look like commands" lines={commands.map(inFile)} />
      <Found
        title="Checkpoints"
        lines={checkpoints.map(
          ({ id, message, needsPerson }) =>
            `${id} (${needsPerson ? 'needs a person' : 'an agent may answer'}): ${message}`,
        )}
      />
      {review.files
        .filter(({ text, before }) => text !== before)
        .map(({ file, text, before = '', notation }) => (
          <section key={file} className="stack-tight">
            <h3>
              <code>{file}</code>
            </h3>
            <DiffView before={before} after={text} notation={notation} />
          </section>
        ))}
      <TrustActions review={review} onClose={onClose} />
    </div>
  );
}

function ReplacedNotice({ review: { replaces } }: { readonly review: DefinitionReview }): ReactNode {
  if (replaces === undefined) return null;
  const { source, id, missing, weaker, added } = replaces;
  return (
    <Notice tone="refused" title={`It replaces the ${source} workflow '${id}'.`}>
      {missing.length > 0 && <p>It does not have these checkpoints: {missing.join(', ')}.</p>}
      {weaker.length > 0 && (
        <p>
          An agent may answer these, which need a person in the workflow that it replaces: {weaker.join(', ')}
          .
        </p>
      )}
      {added.length > 0 && <p>It also has these: {added.join(', ')}.</p>}
    </Notice>
  );
}

function SinceNotice({ review: { since } }: { readonly review: DefinitionReview }): ReactNode {
  if (since === undefined) return null;
  const { missing, weaker, added } = since;
  return (
    <Notice
      tone={missing.length + weaker.length > 0 ? 'refused' : 'waits'}
      title="Its checkpoints have changed since it was trusted."
    >
      {missing.length > 0 && <p>Removed: {missing.join(', ')}.</p>}
      {weaker.length > 0 && <p>Needed a person, and an agent may answer them now: {weaker.join(', ')}.</p>}
      {added.length > 0 && <p>Added: {added.join(', ')}.</p>}
    </Notice>
  );
}

function Found({ title, lines }: { readonly title: string; readonly lines: readonly string[] }): ReactNode {
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

function TrustActions({
  review,
  onClose,
}: {
  readonly review: DefinitionReview;
  readonly onClose: () => void;
}): ReactNode {
  const client = useQueryClient();
  const field = useId();
  const [typed, setTyped] = useState('');
  const { source, file, digest, replaces, isTrustable } = review;
  const trust = useMutation({
    mutationFn: () =>
      ask('POST /trust', { body: { source, file, digest, ...(replaces && { replaces: typed }) } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['workflows'] });
      onClose();
    },
  });
  return (
    <>
      {!isTrustable && (
        <Notice tone="waits" title="It can't be trusted as it is.">
          <p>It has errors or characters that can't be seen, or it is the workflow that all others share.</p>
        </Notice>
      )}
      {isTrustable && replaces !== undefined && (
        <div className="field">
          <label htmlFor={field}>To let it replace that workflow, type its id</label>
          <input
            id={field}
            className="input"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
      )}
      {trust.error !== null && (
        <Notice tone="refused" title="It was not trusted.">
          <p>{reasonOf(trust.error)}</p>
        </Notice>
      )}
      <div className="actions">
        <button
          type="button"
          className="button button-main"
          disabled={!isTrustable || trust.isPending || (replaces !== undefined && typed !== replaces.id)}
          onClick={() => trust.mutate()}
        >
          Trust this version
        </button>
        <Dialog.Close className="button">Leave it untrusted</Dialog.Close>
      </div>
    </>
  );
}
