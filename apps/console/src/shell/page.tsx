import type { ErrorComponentProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { createContext, use, useEffect } from 'react';
import { errorMessage } from '../api/client.ts';
import { EmptyState, Notice } from '../components/notice.tsx';
import type { SignedIn } from '../contract.ts';
import { shellMessages } from '../messages/common.ts';

const { notFound, failure } = shellMessages;

export function Page({
  title,
  lead,
  actions,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  useTitle(title);
  return (
    <div className="page">
      <header className="page-head">
        <div className="stack-tight">
          <h1 tabIndex={-1}>{title}</h1>
          {lead !== undefined && <div className="muted">{lead}</div>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = shellMessages.windowTitle(title);
  }, [title]);
}

/** The signed-in user. */
export const MeContext = createContext<SignedIn | undefined>(undefined);

/** Returns the signed-in user. Pages are only rendered for a signed-in user. */
export function useMe(): SignedIn {
  const me = use(MeContext);
  if (me === undefined) throw new Error('useMe needs a signed-in user.');
  return me;
}

export function NotFound(): ReactNode {
  return (
    <Page title={notFound.title}>
      <EmptyState title={notFound.reason}>
        <p>
          <Link to="/runs">{notFound.next}</Link>
        </p>
      </EmptyState>
    </Page>
  );
}

/** Renders an error in place of a page that failed to load or to render. */
export function PageFailure({ error }: ErrorComponentProps): ReactNode {
  return (
    <Notice tone="refused" title={failure.title}>
      <p>{errorMessage(error)}</p>
      <div>
        <button type="button" className="button button-small" onClick={() => location.reload()}>
          {failure.reload}
        </button>
      </div>
    </Notice>
  );
}
