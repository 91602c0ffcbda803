import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import type { ReactNode, RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { meQuery } from '../api/queries.ts';
import type { SignedIn } from '../contract.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Account } from './account.tsx';
import { MeContext } from './me-context.ts';
import { Nav } from './nav.tsx';
import { SignIn } from './sign-in.tsx';
import { useChanges } from './use-changes.ts';

/** What stands around every page; where nobody is signed in, the way in. */
export function Shell(): ReactNode {
  const me = useQuery(meQuery);
  if (me.data?.state === 'signed-in') return <SignedInShell me={me.data} />;
  return (
    <main className="alone">
      <Loaded query={me}>{(found) => found.state === 'signed-out' && <SignIn ways={found} />}</Loaded>
    </main>
  );
}

function SignedInShell({ me }: { readonly me: SignedIn }): ReactNode {
  const stream = useChanges();
  const main = useFocusOnNewPage();
  return (
    <MeContext value={me}>
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <div className="shell">
        <header className="side">
          <Nav />
          <Account me={me} stream={stream} />
        </header>
        <main className="main" id="main" tabIndex={-1} ref={main}>
          <Outlet />
        </main>
      </div>
    </MeContext>
  );
}

/** After a link was followed, reading and tabbing go on at the new page's heading. */
function useFocusOnNewPage(): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation === undefined || !pathChanged) return;
        const heading = main.current?.querySelector<HTMLElement>('h1');
        (heading ?? main.current)?.focus({ preventScroll: true });
      }),
    [router],
  );
  return main;
}
