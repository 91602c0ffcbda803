import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import {
  Activity,
  ChartColumn,
  HeartPulse,
  Inbox,
  LogOut,
  Monitor,
  Moon,
  Sun,
  Wifi,
  WifiOff,
  Workflow,
} from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { StreamState } from '../api/changes.ts';
import { cacheUpdates, openChangeStream } from '../api/changes.ts';
import { callApi, storeSignInToken } from '../api/client.ts';
import { countsQuery, meQuery } from '../api/queries.ts';
import { notifyOfCheckpoints } from '../checkpoints/notifications.tsx';
import { sendBeforeSignOut } from '../checkpoints/outbox.ts';
import { OutboxBar } from '../checkpoints/outbox-bar.tsx';
import { Button } from '../components/controls.tsx';
import { Loaded } from '../components/notice.tsx';
import type { SignedIn } from '../contract/index.ts';
import { shellMessages } from '../messages/common.ts';
import { CommandPalette } from './command-palette.tsx';
import { ShortcutHelp } from './shortcuts.tsx';
import { OfflineBanner, StreamContext, useConnection, MeContext } from './page.tsx';
import { SignIn } from './sign-in.tsx';

/** Renders the frame around every page, or the sign-in page if nobody is signed in. */
export function Shell(): ReactNode {
  const me = useQuery(meQuery);
  if (me.data?.state === 'signed-in') return <SignedInShell me={me.data} />;
  return (
    <main className="alone">
      <Loaded query={me}>
        {(found) => found.state === 'signed-out' && <SignIn methods={found.methods} />}
      </Loaded>
    </main>
  );
}

function SignedInShell({ me }: { readonly me: SignedIn }): ReactNode {
  const stream = useLiveChanges();
  const main = useFocusOnNewPage();
  return (
    <MeContext value={me}>
      <StreamContext value={stream}>
        <a className="skip-link" href="#main">
          {shellMessages.skipToPage}
        </a>
        <div className="shell">
          <header className="side">
            <Nav />
            <OutboxBar />
            <Account me={me} />
          </header>
          <main className="main" id="main" tabIndex={-1} ref={main}>
            <Outlet />
          </main>
        </div>
        <OfflineBanner />
        <ShortcutHelp />
        <CommandPalette />
      </StreamContext>
    </MeContext>
  );
}

/** Moves the focus to the heading of a new page, so that keyboards and screen readers continue there. */
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

const { navigation, account } = shellMessages;

const pages = [
  { to: '/checkpoints', name: navigation.checkpoints, icon: Inbox },
  { to: '/sessions', name: navigation.sessions, icon: Activity },
  { to: '/workflows', name: navigation.workflows, icon: Workflow },
  { to: '/insights', name: navigation.insights, icon: ChartColumn },
  { to: '/health', name: navigation.health, icon: HeartPulse },
] as const;

/** Renders the navigation, with the number of checkpoints that need an answer. */
function Nav(): ReactNode {
  const waiting = useQuery(countsQuery).data?.blocked ?? 0;
  return (
    <>
      <Link to="/checkpoints" className="product brand">
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" />
        {shellMessages.product}
      </Link>
      <nav className="nav" aria-label={navigation.label}>
        <ul>
          {pages.map(({ to, name, icon: Icon }) => (
            <li key={to}>
              <Link to={to}>
                <Icon size={18} aria-hidden />
                {name}
                {to === '/checkpoints' && waiting > 0 && (
                  <span className="count">
                    {waiting}
                    <span className="hidden-visually">{navigation.waiting}</span>
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}

/** Renders the connection state, the user, the theme switch and the sign-out button. */
function Account({ me }: { readonly me: SignedIn }): ReactNode {
  const stream = useConnection();
  return (
    <div className="side-foot">
      <span className="row muted" role="status">
        {stream === 'live' ? <Wifi size={16} aria-hidden /> : <WifiOff size={16} aria-hidden />}
        {account.connection[stream]}
      </span>
      <span className="who muted">{me.may.answer ? me.person : account.readOnly(me.person)}</span>
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
    async mutationFn() {
      await sendBeforeSignOut();
      return callApi('POST /sign-out');
    },
    onSettled: async () => {
      storeSignInToken(undefined);
      await client.cancelQueries();
      client.clear();
      // Reload to remove all data of the user from memory.
      location.reload();
    },
  });
  return (
    <Button
      look="quiet"
      size="small"
      title={account.signOut}
      aria-label={account.signOut}
      disabled={signOut.isPending}
      onClick={() => signOut.mutate()}
    >
      <LogOut size={16} aria-hidden />
    </Button>
  );
}

/** Keeps the query cache up to date while a user is signed in. Returns the state of the connection. */
function useLiveChanges(): StreamState {
  const client = useQueryClient();
  const [state, setState] = useState<StreamState>('opening');
  useEffect(() => {
    const apply = cacheUpdates(client);
    const listeners = {
      ...apply,
      sessions: (event: Parameters<typeof apply.sessions>[0]): void => {
        apply.sessions(event);
        notifyOfCheckpoints(event.sessions);
      },
    };
    return openChangeStream(listeners, (next) => {
      setState(next);
      // A broken stream may mean that the sign-in has expired.
      if (next === 'broken') void client.invalidateQueries({ queryKey: ['me'] });
    });
  }, [client]);
  return state;
}

const icons = { system: Monitor, light: Sun, dark: Moon } as const;

function ThemeSwitch(): ReactNode {
  const [theme, setTheme] = useState(storedTheme);
  const Icon = icons[theme];
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <Button
      look="quiet"
      size="small"
      aria-label={shellMessages.theme.change(theme, next)}
      title={shellMessages.theme.current(theme)}
      onClick={() => {
        showTheme(next);
        setTheme(next);
      }}
    >
      <Icon size={16} aria-hidden />
    </Button>
  );
}

/** A colour theme; `system` follows the operating system. */
type Theme = 'system' | 'light' | 'dark';

/** In the order of the switch. */
const themes: readonly Theme[] = ['system', 'light', 'dark'];

const storageKey = 'workflowlookup.theme';

export function storedTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? 'system';
}

export function showTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
