import './look/tokens.css';
import './look/base.css';
import './look/shell.css';
import './look/parts.css';
import './look/layers.css';
import './look/runs.css';
import './look/gates.css';
import './look/run.css';
import './look/workflows.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { meQuery } from './api/queries.ts';
import { Refusal } from './api/refusal.ts';
import { watchSession } from './api/session.ts';
import { router } from './router.tsx';
import { ArrivalContext, arrive } from './shell/arrival.ts';
import { showTheme, storedTheme } from './shell/theme.ts';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What was refused is refused again; what could not be reached may be back.
      retry: (count, error) =>
        count < 2 && (!(error instanceof Refusal) || error.status === 0 || error.status >= 500),
    },
  },
});

client.getQueryCache().subscribe(({ query, type }) => {
  const isSignedOut =
    type === 'updated' && query.state.error instanceof Refusal && query.state.error.status === 401;
  if (isSignedOut && query.queryKey[0] !== 'me')
    void client.invalidateQueries({ queryKey: meQuery.queryKey });
});

watchSession(() => void client.invalidateQueries({ queryKey: meQuery.queryKey }));

showTheme(storedTheme());
const arrival = await arrive();
if (arrival.me !== undefined) client.setQueryData(meQuery.queryKey, arrival.me);

const place = document.querySelector('#root');
if (place === null) throw new Error('The page has no place for the console.');
createRoot(place).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <ArrivalContext value={arrival}>
          <RouterProvider router={router} />
        </ArrivalContext>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
