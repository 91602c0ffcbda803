import { WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { createContext, use, useSyncExternalStore } from 'react';
import type { StreamState } from '../api/changes.ts';
import { shellMessages } from '../messages/common.ts';

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
