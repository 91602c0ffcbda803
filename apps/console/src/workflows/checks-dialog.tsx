import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { writeOutHidden } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { callApi } from '../api/client.ts';
import { checksQuery, checksReviewQuery } from '../api/queries.ts';
import { Button } from '../components/controls.tsx';
import { FactGrid } from '../components/lists.tsx';
import { OpenDialog } from '../components/dialog.tsx';
import { Loaded, Notice, ErrorNotice } from '../components/notice.tsx';
import type { ChecksReview } from '../contract/index.ts';
import { workflowMessages } from '../messages/workflows.ts';
import { FileDiff, ReviewSection, useShown } from './trust-dialog.tsx';

const { checks: messages, trust: trustTexts } = workflowMessages;

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
      title={messages.reviewTitle(writeOutHidden(folder))}
      explanation={messages.explanation}
      onClose={onClose}
    >
      <Loaded query={query}>{(review) => <ReviewContent review={review} onClose={onClose} />}</Loaded>
    </OpenDialog>
  );
}

interface ReviewProps {
  readonly review: ChecksReview;
  readonly onClose: () => void;
}

function ReviewContent({ review: latest, onClose }: ReviewProps): ReactNode {
  const review = useShown(latest);
  const { hidden, problem, checks, files, digest } = review;
  return (
    <div className="stack">
      {problem !== undefined && (
        <Notice tone="refused" title={messages.invalid}>
          {problem}
        </Notice>
      )}
      <ReviewSection
        title={trustTexts.sections.hidden}
        lines={hidden.map(({ file, line, text }) => trustTexts.location(file, line, text))}
      />
      <section className="stack-tight">
        <h3>{messages.commands}</h3>
        {checks.length === 0 && <p className="muted">{messages.noCommands}</p>}
        <ul className="stack" aria-label={messages.commands}>
          {checks.map((check) => (
            <ReviewedCheck key={check.name} {...check} />
          ))}
        </ul>
      </section>
      {files.map((file) => (
        <ReviewedFile key={file.file} {...file} />
      ))}
      <p className="small muted">
        {messages.digest} <code>{digest}</code>
      </p>
      <TrustActions review={review} onClose={onClose} />
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
      <pre className="small" tabIndex={0} aria-label={messages.commandOf(name)}>
        {command}
      </pre>
      <FactGrid
        className="small"
        facts={{
          [messages.runBy]: usesShell ? messages.shell : messages.noShell,
          [messages.timeout]: timeout,
          [messages.reports]: reports.length > 0 ? reports.join(', ') : undefined,
          [messages.env]: env.length > 0 ? env.join(', ') : undefined,
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
        {messages.removed} {name}
      </p>
    );
  if (text === before)
    return (
      <details>
        <summary>
          {name} {messages.unchanged}
        </summary>
        <pre className="small" tabIndex={0} aria-label={messages.textOf(file)}>
          {text}
        </pre>
      </details>
    );
  return <FileDiff {...shown} text={text} />;
}

function TrustActions({ review: { folder, digest, state, problem }, onClose }: ReviewProps): ReactNode {
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
      <ErrorNotice title={isTrusted ? messages.notWithdrawn : messages.notTrusted} error={change.error} />
      <div className="row">
        <Button
          look={isTrusted ? undefined : 'main'}
          disabled={change.isPending || (!isTrusted && problem !== undefined)}
          onClick={() => change.mutate()}
        >
          {isTrusted ? messages.withdraw : trustTexts.accept}
        </Button>
        <Dialog.Close className="button">{isTrusted ? messages.close : trustTexts.cancel}</Dialog.Close>
      </div>
    </>
  );
}
