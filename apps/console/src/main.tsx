import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/components.css';
import './styles/layers.css';
import './styles/sessions.css';
import './styles/checkpoints.css';
import './styles/session.css';
import './styles/workflows.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { meQuery } from './api/queries.ts';
import { onSignInTokenChange, RequestError } from './api/client.ts';
import { router } from './router.tsx';
import { AddressSignInContext, signInFromAddress } from './shell/sign-in.tsx';
import { showTheme, storedTheme } from './shell/shell.tsx';
import { listenToShortcuts } from './shell/shortcuts.tsx';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Only retry when the server can't be reached or fails. A refused request would be refused again.
      retry: (count, error) =>
        count < 2 && (!(error instanceof RequestError) || error.status === 0 || error.status >= 500),
    },
  },
});

client.getQueryCache().subscribe(({ query, type }) => {
  const isSignedOut =
    type === 'updated' && query.state.error instanceof RequestError && query.state.error.status === 401;
  if (isSignedOut && query.queryKey[0] !== 'me')
    void client.invalidateQueries({ queryKey: meQuery.queryKey });
});

onSignInTokenChange(() => void client.invalidateQueries({ queryKey: meQuery.queryKey }));

showTheme(storedTheme());
listenToShortcuts();
const arrival = await signInFromAddress();
if (arrival.me !== undefined) client.setQueryData(meQuery.queryKey, arrival.me);

const root = document.querySelector('#root');
if (root === null) throw new Error('The page has no element #root.');
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <AddressSignInContext value={arrival}>
          <RouterProvider router={router} />
        </AddressSignInContext>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
