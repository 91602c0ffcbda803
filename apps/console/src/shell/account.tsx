import { useMutation, useQueryClient } from '@tanstack/react-query';
import { LogOut, Wifi, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { ask } from '../api/ask.ts';
import type { StreamState } from '../api/change-stream.ts';
import { keepSession } from '../api/session.ts';
import type { SignedIn } from '../contract.ts';
import { ThemeSwitch } from './theme-switch.tsx';

const streamTexts: Readonly<Record<StreamState, string>> = {
  opening: 'Connecting',
  live: 'Live',
  broken: 'Reconnecting',
};

/** Who is signed in, whether the page is live, the theme, and the way out. */
export function Account({ me, stream }: { readonly me: SignedIn; readonly stream: StreamState }): ReactNode {
  return (
    <div className="side-foot">
      <span className="live" role="status">
        {stream === 'live' ? <Wifi size={16} aria-hidden /> : <WifiOff size={16} aria-hidden />}
        {streamTexts[stream]}
      </span>
      <span className="who muted">
        {me.person}
        {!me.may.answer && ', reads only'}
      </span>
      <span className="row">
        <ThemeSwitch />
        <SignOut />
      </span>
    </div>
  );
}

function SignOut(): ReactNode {
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => ask('POST /sign-out'),
    onSettled: async () => {
      keepSession(undefined);
      await client.cancelQueries();
      client.clear();
      // Nothing of what was shown stays in memory.
      location.reload();
    },
  });
  return (
    <button
      type="button"
      className="button button-quiet button-small"
      title="Sign out"
      aria-label="Sign out"
      disabled={signOut.isPending}
      onClick={() => signOut.mutate()}
    >
      <LogOut size={16} aria-hidden />
    </button>
  );
}
