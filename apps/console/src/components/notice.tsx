import type { UseQueryResult } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './controls.tsx';
import { errorMessage } from '../api/client.ts';
import { commonMessages } from '../messages/common.ts';

const icons = { refused: CircleAlert, waits: TriangleAlert, done: CircleCheck, plain: Info } as const;

interface NoticeProps {
  readonly tone?: keyof typeof icons | undefined;
  readonly title: string;
  readonly children?: ReactNode;
}

/**
 * Renders a notice. Screen readers announce errors at once and other notices when they are idle. Its content is a text, or
 * elements.
 */
export function Notice({ tone = 'plain', title, children }: NoticeProps): ReactNode {
  const Icon = icons[tone];
  return (
    <div className="notice" data-tone={tone} role={tone === 'refused' ? 'alert' : 'status'}>
      <Icon size={18} aria-hidden />
      <div className="stack-tight">
        <strong>{title}</strong>
        {paragraph(children)}
      </div>
    </div>
  );
}

function paragraph(content: ReactNode): ReactNode {
  return typeof content === 'string' ? <p>{content}</p> : content;
}

/** Says that something failed, and why. Renders nothing without an error. */
export function ErrorNotice({
  title,
  error,
}: {
  readonly title: string;
  readonly error: Error | null;
}): ReactNode {
  return (
    error !== null && (
      <Notice tone="refused" title={title}>
        {errorMessage(error)}
      </Notice>
    )
  );
}

/** Says why a list is empty and what would change that. */
export function EmptyState({ title, children }: Omit<NoticeProps, 'tone'>): ReactNode {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {paragraph(children)}
    </div>
  );
}

/** Renders the data of a query. It shows a skeleton while the query loads, and a notice with a retry button if it fails. */
export function Loaded<Data>({
  query,
  children,
}: {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'isFetching'> & { refetch(): unknown };
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  const { data, error, isFetching } = query;
  if (data === undefined && error === null) return <Skeleton />;
  return (
    <>
      {error !== null && (
        <Notice tone="refused" title={commonMessages.loading.failed}>
          <p>{errorMessage(error)}</p>
          <div>
            <Button size="small" disabled={isFetching} onClick={() => void query.refetch()}>
              {commonMessages.loading.retry}
            </Button>
          </div>
        </Notice>
      )}
      {data !== undefined && children(data)}
    </>
  );
}

function Skeleton(): ReactNode {
  return (
    <div className="stack" role="status">
      <span className="hidden-visually">{commonMessages.loading.active}</span>
      <div className="skeleton" />
      <div className="skeleton" />
    </div>
  );
}
