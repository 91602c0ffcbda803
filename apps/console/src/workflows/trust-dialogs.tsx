import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { writeOutHidden } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { callApi } from '../api/client.ts';
import { reviewQuery, checksQuery, checksReviewQuery } from '../api/queries.ts';
import { Button, TextField } from '../components/controls.tsx';
import { OpenDialog } from '../components/dialog.tsx';
import { FactGrid } from '../components/lists.tsx';
import { Loaded, Notice, ErrorNotice } from '../components/notice.tsx';
import type { DefinitionReview, ChecksReview } from '../contract/index.ts';
import { DiffView } from '../editor/codemirror.tsx';
import { workflowMessages } from '../messages/workflows.ts';

const { checks: checksTexts, trust: messages } = workflowMessages;

/**
 * Returns the review that was shown first. The page may fetch a later one, for example when its window gets the focus, but
 * a person agrees to what they have read. The server refuses that if the text has changed since.
 */
function useShown<Review>(latest: Review): Review {
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
      <Loaded query={query}>
        {(review) => <DefinitionReviewContent review={review} onClose={onClose} />}
      </Loaded>
    </OpenDialog>
  );
}

interface ReviewProps<Review> {
  readonly review: Review;
  readonly onClose: () => void;
}

function DefinitionReviewContent({ review: latest, onClose }: ReviewProps<DefinitionReview>): ReactNode {
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
      <DefinitionActions review={review} onClose={onClose} />
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
function FileDiff({ file, text, before = '', notation }: DefinitionReview['files'][number]): ReactNode {
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
function ReviewSection({
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

function DefinitionActions({ review, onClose }: ReviewProps<DefinitionReview>): ReactNode {
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

/** Shows what a person needs to know before they trust the checks of a project, and lets them trust these. */
export function ChecksDialog({
  folder,
  onClose,
}: {
  readonly folder: string;
  readonly onClose: () => void;
}): ReactNode {
  const query = useQuery(checksReviewQuery(folder));
  return (
    <OpenDialog
      title={checksTexts.reviewTitle(writeOutHidden(folder))}
      explanation={checksTexts.explanation}
      onClose={onClose}
    >
      <Loaded query={query}>{(review) => <ChecksReviewContent review={review} onClose={onClose} />}</Loaded>
    </OpenDialog>
  );
}

function ChecksReviewContent({ review: latest, onClose }: ReviewProps<ChecksReview>): ReactNode {
  const review = useShown(latest);
  const { hidden, problem, checks, files, digest } = review;
  return (
    <div className="stack">
      {problem !== undefined && (
        <Notice tone="refused" title={checksTexts.invalid}>
          {problem}
        </Notice>
      )}
      <ReviewSection
        title={messages.sections.hidden}
        lines={hidden.map(({ file, line, text }) => messages.location(file, line, text))}
      />
      <section className="stack-tight">
        <h3>{checksTexts.commands}</h3>
        {checks.length === 0 && <p className="muted">{checksTexts.noCommands}</p>}
        <ul className="stack" aria-label={checksTexts.commands}>
          {checks.map((check) => (
            <ReviewedCheck key={check.name} {...check} />
          ))}
        </ul>
      </section>
      {files.map((file) => (
        <ReviewedFile key={file.file} {...file} />
      ))}
      <p className="small muted">
        {checksTexts.digest} <code>{digest}</code>
      </p>
      <ChecksActions review={review} onClose={onClose} />
    </div>
  );
}

function ReviewedCheck({
  name,
  command,
  usesShell,
  timeout,
  reports,
  env,
}: ChecksReview['checks'][number]): ReactNode {
  return (
    <li className="stack-tight">
      <strong>{name}</strong>
      <pre className="small" tabIndex={0} aria-label={checksTexts.commandOf(name)}>
        {command}
      </pre>
      <FactGrid
        className="small"
        facts={{
          [checksTexts.runBy]: usesShell ? checksTexts.shell : checksTexts.noShell,
          [checksTexts.timeout]: timeout,
          [checksTexts.reports]: reports.length > 0 ? reports.join(', ') : undefined,
          [checksTexts.env]: env.length > 0 ? env.join(', ') : undefined,
        }}
      />
    </li>
  );
}

/** Shows a file as it is now, with what has changed since it was trusted. */
function ReviewedFile(shown: ChecksReview['files'][number]): ReactNode {
  const { file, text, before } = shown;
  const name = <code>{file}</code>;
  if (text === undefined)
    return (
      <p>
        {checksTexts.removed} {name}
      </p>
    );
  if (text === before)
    return (
      <details>
        <summary>
          {name} {checksTexts.unchanged}
        </summary>
        <pre className="small" tabIndex={0} aria-label={checksTexts.textOf(file)}>
          {text}
        </pre>
      </details>
    );
  return <FileDiff {...shown} text={text} />;
}

function ChecksActions({
  review: { folder, digest, state, problem },
  onClose,
}: ReviewProps<ChecksReview>): ReactNode {
  const client = useQueryClient();
  const isTrusted = state === 'trusted';
  const change = useMutation({
    mutationFn: () =>
      isTrusted
        ? callApi('POST /checks/distrust', { body: { folder } })
        : callApi('POST /checks/trust', { body: { folder, digest } }),
    onSuccess: async () => {
      await client.invalidateQueries(checksQuery);
      onClose();
    },
  });
  return (
    <>
      <ErrorNotice
        title={isTrusted ? checksTexts.notWithdrawn : checksTexts.notTrusted}
        error={change.error}
      />
      <div className="row">
        <Button
          look={isTrusted ? undefined : 'main'}
          disabled={change.isPending || (!isTrusted && problem !== undefined)}
          onClick={() => change.mutate()}
        >
          {isTrusted ? checksTexts.withdraw : messages.accept}
        </Button>
        <Dialog.Close className="button">{isTrusted ? checksTexts.close : messages.cancel}</Dialog.Close>
      </div>
    </>
  );
}
