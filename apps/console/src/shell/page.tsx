import type { ErrorComponentProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import { WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { createContext, use, useEffect, useSyncExternalStore } from 'react';
import type { StreamState } from '../api/changes.ts';
import { errorMessage } from '../api/client.ts';
import { Button } from '../components/controls.tsx';
import { EmptyState, Notice } from '../components/notice.tsx';
import type { SignedIn } from '../contract/index.ts';
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
        {actions !== undefined && <div className="row">{actions}</div>}
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
          <Link to="/sessions">{notFound.next}</Link>
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
        <Button size="small" onClick={() => location.reload()}>
          {failure.reload}
        </Button>
      </div>
    </Notice>
  );
}

const { account } = shellMessages;

/** The state of the connection to the server, as the change stream has it. */
export const StreamContext = createContext<StreamState>('opening');

/** Returns the state of the connection. It is broken at once when the browser goes offline. */
export function useConnection(): StreamState {
  const stream = use(StreamContext);
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return isOnline ? stream : 'broken';
}

function subscribe(listener: () => void): () => void {
  const names = ['online', 'offline'] as const;
  for (const name of names) addEventListener(name, listener);
  return () => {
    for (const name of names) removeEventListener(name, listener);
  };
}

/** Says that the page is not up to date and can't be used to answer. It lies over the page, so that nothing moves. */
export function OfflineBanner(): ReactNode {
  const isBroken = useConnection() === 'broken';
  return (
    <div className="offline" role="status" data-shown={isBroken || undefined}>
      {isBroken && (
        <>
          <WifiOff size={18} aria-hidden />
          <span>{account.offline}</span>
        </>
      )}
    </div>
  );
}
