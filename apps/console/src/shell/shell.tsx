import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { meQuery } from '../api/queries.ts';
import { useChanges } from '../api/use-changes.ts';
import type { SignedIn } from '../contract.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Account } from './account.tsx';
import { MeContext } from './me-context.ts';
import { Nav } from './nav.tsx';
import { SignIn } from './sign-in.tsx';

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
        <div className="side">
          <Nav />
          <Account me={me} stream={stream} />
        </div>
        <main className="main" id="main" tabIndex={-1} ref={main}>
          <Outlet />
        </main>
      </div>
    </MeContext>
  );
}

/** After a link was followed, reading and tabbing go on at the new page's heading. */
function useFocusOnNewPage(): React.RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    const heading = main.current?.querySelector<HTMLElement>('h1');
    (heading ?? main.current)?.focus({ preventScroll: true });
  }, [pathname]);
  return main;
}
